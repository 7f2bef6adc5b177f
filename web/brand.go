package web

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"confluence/views"
)

// Brand is how an installation looks. The zero Brand is Confluence's own look.
type Brand struct {
	Name  string      // empty: Confluence
	Logo  []byte      // a picture of a kind that LogoType knows; empty: Confluence's own
	Type  string      // the logo's media type, as LogoType says it
	Color Color       // of the top of each page, of links and of the main buttons; the zero Color: Confluence's own
	Text  string      // in the foot of each page
	Links []BrandLink // in the foot of each page
}

// BrandLink leads from the foot of each page to a page of the installation's own.
type BrandLink struct{ Name, URL string }

// Color is a colour that has the contrast which the pages need. ParseColor makes one.
type Color struct {
	light string // "#0f4351": under white words, and on the light ground
	dark  string // the same, as much lighter as links on the dark ground need it
}

// The grounds of the pages, as confluence.css has them, and the least contrast on them.
const (
	lightGround = "#eff3f1"
	darkPaper   = "#13232a"

	onColour = 7.0 // white words at the top of each page, also on the wall screen
	onGround = 4.5 // links
)

// ParseColor reads "#rrggbb". A colour on which white words can't be read is refused, with the contrast that was measured: it stands at the top
// of each page, in light and in dark, and carries links on the light ground. For the dark one it is made lighter.
func ParseColor(text string) (Color, error) {
	colour, err := rgbOf(text)
	if err != nil {
		return Color{}, err
	}
	white, light, dark := mustRGB("#ffffff"), mustRGB(lightGround), mustRGB(darkPaper)
	if measured := contrast(colour, white); measured < onColour {
		return Color{}, fmt.Errorf("the contrast of white words on it is %.2f:1, below %g:1; take a darker one", measured, onColour)
	}
	if measured := contrast(colour, light); measured < onGround {
		return Color{}, fmt.Errorf("its contrast on the light ground is %.2f:1, below %g:1; take a darker one", measured, onGround)
	}
	lighter := colour
	for i := 1; contrast(lighter, dark) < onColour; i++ {
		for c := range lighter {
			lighter[c] = colour[c] + (1-colour[c])*float64(i)/100
		}
	}
	return Color{light: colour.String(), dark: lighter.String()}, nil
}

// rgb is a colour's red, green and blue, from 0 to 1.
type rgb [3]float64

var errNoColour = errors.New("it isn't of the form #rrggbb")

func rgbOf(text string) (rgb, error) {
	var c [3]uint8
	if n, err := fmt.Sscanf(text, "#%02x%02x%02x", &c[0], &c[1], &c[2]); err != nil || n != 3 || len(text) != 7 {
		return rgb{}, errNoColour
	}
	return rgb{float64(c[0]) / 255, float64(c[1]) / 255, float64(c[2]) / 255}, nil
}

func mustRGB(text string) rgb {
	c, err := rgbOf(text)
	if err != nil {
		panic(err)
	}
	return c
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0]*255)), int(math.Round(c[1]*255)), int(math.Round(c[2]*255)))
}

// luminance is the relative luminance of WCAG 2.
func (c rgb) luminance() float64 {
	sum := 0.0
	for i, weight := range [3]float64{.2126, .7152, .0722} {
		if c[i] <= .04045 {
			sum += weight * c[i] / 12.92
		} else {
			sum += weight * math.Pow((c[i]+.055)/1.055, 2.4)
		}
	}
	return sum
}

// contrast is the contrast ratio of WCAG 2, from 1 to 21.
func contrast(a, b rgb) float64 {
	la, lb := a.luminance(), b.luminance()
	return (max(la, lb) + .05) / (min(la, lb) + .05)
}

// MaxLogoBytes bounds a logo, which each first visit loads.
const MaxLogoBytes = 32 << 10

// LogoType is the media type of a logo by the name of its file; empty: it can't be one.
func LogoType(file string) string {
	return map[string]string{".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}[strings.ToLower(path.Ext(file))]
}

// ParseBrandLinks reads "Name=URL" between commas.
func ParseBrandLinks(text string) ([]BrandLink, error) {
	var links []BrandLink
	for part := range strings.SplitSeq(text, ",") {
		name, address, _ := strings.Cut(part, "=")
		name, address = strings.TrimSpace(name), strings.TrimSpace(address)
		u, err := url.Parse(address)
		if name == "" || err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" {
			return nil, fmt.Errorf("%q is no name with an address (http, https or mailto) behind an equals sign", strings.TrimSpace(part))
		}
		links = append(links, BrandLink{name, address})
	}
	return links, nil
}

// Where the parts of the brand are.
const (
	brandLogoPath  = "/brand/logo"
	brandStylePath = "/brand/colours.css"
)

// view is the brand as the pages show it.
func (b Brand) view() views.Brand {
	shown := views.Brand{Name: b.Name, Text: b.Text}
	if len(b.Logo) > 0 {
		shown.Logo = brandLogoPath
	}
	if b.Color != (Color{}) {
		shown.Style = brandStylePath
	}
	for _, link := range b.Links {
		shown.Links = append(shown.Links, views.Link{Text: link.Name, URL: link.URL})
	}
	return shown
}

// style is the stylesheet of the brand's colour. A file of its own, since the policy forbids styles in pages.
func (b Brand) style() []byte {
	return fmt.Appendf(nil, ":root { --water: %s; --link: light-dark(%[1]s, %s); --action: var(--link); }\n", b.Color.light, b.Color.dark)
}

// registerBrand serves what the installation has.
func (s *Server) registerBrand(e *echo.Echo) {
	if b := s.o.Brand; len(b.Logo) > 0 {
		get(e, brandLogoPath, sendFile(b.Type, b.Logo))
	}
	if b := s.o.Brand; b.Color != (Color{}) {
		get(e, brandStylePath, sendFile("text/css; charset=utf-8", b.style()))
	}
}

// sendFile serves what stays the same while the process runs.
func sendFile(mediaType string, content []byte) echo.HandlerFunc {
	changed := time.Now().Truncate(time.Second)
	return func(c echo.Context) error {
		header := c.Response().Header()
		header.Set(echo.HeaderContentType, mediaType)
		header.Set(echo.HeaderCacheControl, "no-cache")
		http.ServeContent(c.Response(), c.Request(), "", changed, bytes.NewReader(content))
		return nil
	}
}
