package gallery

import (
	"time"

	"confluence/views"
)

// onTheWall is the screen on the wall.
func (p painter) onTheWall() []State {
	kiosk := views.Kiosk{
		Page:    views.Page{Title: p.Say("kiosk.title.running", "numbers", views.Numbers(p.Language, []int64{39})), RefreshSeconds: 10},
		Name:    "Library reports",
		Address: "ask.library.example",
		Now:     views.AtMinute(noon),
		Running: []int64{39},
		RunFor:  views.RunWords(p.Language, usual),
		Next:    []int64{40, 41, 42, 43, 44, 45, 46},
		Length:  7,
		Join:    p.estimate(480, 610, 1170, 7),
		Slots:   1,
		Window:  p.Duration(time.Minute),
	}
	called := kiosk
	called.Running, called.Called = nil, []int64{40}
	several := kiosk
	several.Slots, several.Running, several.Called, several.RunFor = 4, []int64{36, 37, 39}, []int64{40}, ""
	several.Notice = views.Notice{Text: p.text}
	crowd := kiosk
	crowd.Slots, crowd.Running, crowd.RunFor = 8, []int64{31, 32, 33, 34, 35, 36, 37, 39}, ""
	idle := kiosk
	idle.Running, idle.Next, idle.Length, idle.Free = nil, nil, 0, true
	halted := kiosk
	halted.Running, halted.Paused = nil, true
	ending := kiosk
	ending.Stopping = true
	return []State{
		{"kiosk", views.KioskPage(kiosk)},
		{"kiosk-called", views.KioskPage(called)},
		{"kiosk-several", views.KioskPage(several)},
		{"kiosk-crowd", views.KioskPage(crowd)},
		{"kiosk-idle", views.KioskPage(idle)},
		{"kiosk-paused", views.KioskPage(halted)},
		{"kiosk-stopping", views.KioskPage(ending)},
	}
}
