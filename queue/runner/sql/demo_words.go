package sql

// demoSubject is a subject with what its titles are made of.
type demoSubject struct {
	name     string
	patterns []string // %s is a thing
	things   []string
}

var demoSubjects = []demoSubject{
	{"Novel", []string{"The %s", "A House by the %s", "Beyond the %s", "What the %s Knew", "Letters from the %s", "The Last %s", "An Autumn of the %s", "The %s and the Sea"},
		[]string{"Lighthouse", "Orchard", "Ferryman", "Clockmaker", "Salt Road", "Glass Garden", "Winter Train", "Cartographer", "River Gate", "Quiet Season", "Copper Beech", "Night Market", "Weather Station", "Apple Thief", "Long Meadow", "Bell Tower", "Paper Bridge", "Tidal Island", "Blue Door", "Stone Harbour", "Violin", "Beekeeper", "Empty Chair", "Swallow", "Well", "Hill Farm"}},
	{"Crime", []string{"Murder at %s", "The %s Case", "Death Comes to %s", "Silence over %s", "A Witness from %s", "The Body in %s", "No Alibi for %s"},
		[]string{"Mill Lane", "Pier Nine", "the Old Town", "St Anne’s", "the Archive", "Brickfields", "the Opera", "Hill Road", "Northgate", "the Quay", "the Boathouse", "the Reading Room", "Platform Four", "the Vicarage", "the Fish Market", "the Weir"}},
	{"History", []string{"A Short History of %s", "%s: A Life in Documents", "The Making of %s", "%s in Peace and War", "How %s Changed the World", "The Rise and Fall of %s"},
		[]string{"the Hanseatic League", "Printing", "the Silk Road", "Canals", "the Potato", "Public Libraries", "Venice", "the Railway", "Salt", "the Census", "Constantinople", "Paper", "the Baltic", "Navigation", "the Danube", "Cotton", "Maps", "Glass"}},
	{"Science", []string{"Understanding %s", "%s for Curious People", "The Hidden Life of %s", "%s, Explained", "Why %s Matter", "A Field Guide to %s"},
		[]string{"Rivers", "Clouds", "Mosses", "Prime Numbers", "Bats", "Tides", "Volcanoes", "Bacteria", "Comets", "Insects", "Fungi", "Waves", "Galaxies", "Glaciers", "Lichens", "Soils", "Queues", "Spiders"}},
	{"Children", []string{"%s Goes to School", "Where Is %s?", "%s and the Moon", "Goodnight, %s", "%s Learns to Swim", "The Adventures of %s", "%s Makes a Friend"},
		[]string{"Little Otter", "Bruno the Bear", "Captain Mouse", "Mia", "The Brave Snail", "Uncle Heron", "Pip", "The Smallest Dragon", "Tomas", "Grandma Owl", "Nine Ducklings", "The Lost Mitten", "Zara", "Old Tractor Bill"}},
	{"Cooking", []string{"Cooking with %s", "The Book of %s", "%s All Year Round", "Fifty Ways with %s", "%s from Scratch"},
		[]string{"Beans", "Sourdough", "Root Vegetables", "Fish", "Spices", "Leftovers", "Apples", "Rice", "Lemons", "Pickles", "Noodles", "Mushrooms", "Herbs", "One Pot"}},
	{"Travel", []string{"Walking in %s", "Slow Trains through %s", "%s on a Budget", "A Year in %s", "The Coast of %s", "Cycling %s"},
		[]string{"Portugal", "the Carpathians", "Norway", "Galicia", "Japan", "the Dolomites", "Georgia", "Wales", "Slovenia", "the Azores", "Estonia", "Sicily", "Morocco", "Brittany", "Patagonia", "Anatolia"}},
	{"Craft", []string{"Learn %s", "%s Step by Step", "The Art of %s", "%s for Beginners", "Advanced %s"},
		[]string{"Bookbinding", "Knitting", "Joinery", "Pottery", "Calligraphy", "Basket Weaving", "Watercolour", "Quilting", "Woodcarving", "Letterpress", "Felting", "Beekeeping", "Linocut"}},
}

var demoGivenNames = []string{
	"Ada", "Ahmed", "Aiko", "Alba", "Amara", "Anna", "Arjun", "Astrid", "Beatriz", "Benedikt", "Carlos", "Chiara", "Clara", "Daniel", "Dilara", "Edith",
	"Elena", "Emeka", "Emil", "Fatima", "Felix", "Freya", "Gabriel", "Grace", "Hana", "Henrik", "Ines", "Isaac", "Ivan", "Jana", "Jonas", "Joyce",
	"Kofi", "Lea", "Leila", "Linh", "Lucas", "Magda", "Malik", "Marta", "Mateo", "Mei", "Milan", "Nadia", "Niamh", "Noor", "Olga", "Oskar", "Paulo",
	"Petra", "Priya", "Rafael", "Rosa", "Ruth", "Samir", "Selma", "Sofia", "Stefan", "Tariq", "Thea", "Tomás", "Ursula", "Vera", "Victor", "Wanda",
	"Yara", "Yusuf", "Zofia",
}

var demoFamilyNames = []string{
	"Abara", "Adler", "Ahmadi", "Almeida", "Andersen", "Baker", "Banerjee", "Bauer", "Bianchi", "Bondarenko", "Brandt", "Byrne", "Castro", "Chen",
	"Clarke", "Costa", "Davies", "Demir", "Diallo", "Dubois", "Eriksson", "Farkas", "Fischer", "Fontaine", "Garcia", "Grant", "Haddad", "Hansen",
	"Hoffmann", "Horvat", "Ito", "Jansen", "Jensen", "Kaplan", "Keller", "Kovács", "Kowalski", "Lambert", "Larsen", "Lindqvist", "Lopez", "Marino",
	"Martin", "Mensah", "Moreau", "Moser", "Murphy", "Nakamura", "Nguyen", "Novak", "Nowak", "O’Brien", "Okafor", "Olsen", "Osei", "Papadakis", "Patel",
	"Pereira", "Petrov", "Popescu", "Quinn", "Rahman", "Reyes", "Richter", "Rossi", "Roy", "Sato", "Schmidt", "Silva", "Singh", "Sokolov", "Suzuki",
	"Tanaka", "Taylor", "Toth", "Vargas", "Vogel", "Walker", "Weber", "Wilson", "Yilmaz", "Zhang", "Zimmer",
}

// Notes are put together from a place in the book, what is the matter, and what is to be done.
var (
	demoNotePlaces = []string{
		"Cover", "Spine", "Back board", "First chapter", "Last pages", "Title page", "Index", "Plates", "Dust jacket", "Pages 40 to 60", "Lower corner",
		"Whole book", "Endpapers", "Map at the back",
	}
	demoNoteMatters = []string{
		"slightly worn", "shows water damage", "torn along the fold", "loose", "pencil marks on many pages", "coffee stains", "faded by the sun", "chewed by a dog",
		"smells of smoke", "bound upside down", "mended with tape", "heavy water damage after the burst pipe", "missing", "mould at the edges", "glue has dried out",
		"crayon drawings, rather good ones", "bent", "sand between the pages", "water stains, no damage to the text", "signed by the author",
	}
	demoNoteDeeds = []string{
		"Keep in use.", "To be rebound.", "Replace when funds allow.", "Member was told.", "Fee waived.", "Withdrawn.", "Put aside for the sale.",
		"Seen again at the yearly check, no worse.", "Ask the bindery for a price.", "Moved to the stack.", "Copy ordered.", "Dried for two days, then returned to the shelf.",
	}
)
