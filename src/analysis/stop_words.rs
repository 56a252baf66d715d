//! Short lists of stop words: articles, pronouns, prepositions, conjunctions and auxiliary verbs.
//!
//! All of these words are in the lists of the Snowball project too (<https://snowballstem.org/algorithms/>, `stop.txt` of
//! each language), which are longer. A caller that wants other words passes them.

/// The stop words of a language, lower-cased, in alphabetical order: `english`, `german`, `french`, `spanish`, `italian`,
/// `dutch` and `portuguese` have a list.
pub fn stop_words(language: &str) -> Option<&'static [&'static str]> {
    match language {
        "dutch" => Some(DUTCH),
        "english" => Some(ENGLISH),
        "french" => Some(FRENCH),
        "german" => Some(GERMAN),
        "italian" => Some(ITALIAN),
        "portuguese" => Some(PORTUGUESE),
        "spanish" => Some(SPANISH),
        _ => None,
    }
}

#[rustfmt::skip]
static DUTCH: &[&str] = &[
    "aan", "al", "alles", "als", "ben", "bij", "daar", "dan", "dat", "de", "deze", "die", "dit", "doen", "door", "dus",
    "een", "en", "er", "geen", "geweest", "haar", "had", "heb", "hebben", "heeft", "hem", "het", "hier", "hij", "hun",
    "iets", "ik", "in", "is", "je", "kan", "kon", "kunnen", "maar", "me", "men", "met", "mij", "mijn", "moet", "na",
    "naar", "niet", "niets", "nog", "of", "om", "omdat", "onder", "ons", "ook", "op", "over", "te", "tegen", "toen",
    "tot", "u", "uit", "uw", "van", "voor", "want", "waren", "was", "wat", "werd", "wie", "worden", "wordt", "zal",
    "ze", "zich", "zij", "zijn", "zo", "zonder", "zou",
];

#[rustfmt::skip]
static ENGLISH: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "could", "did", "do", "does",
    "doing", "down", "during", "each", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her",
    "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "it", "its", "itself",
    "me", "more", "most", "my", "myself", "no", "nor", "not", "of", "off", "on", "once", "only", "or", "other",
    "ought", "our", "ours", "ourselves", "out", "over", "own", "same", "she", "should", "so", "some", "such", "than",
    "that", "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "whom", "why", "with", "would", "you", "your", "yours", "yourself", "yourselves",
];

#[rustfmt::skip]
static FRENCH: &[&str] = &[
    "ai", "au", "aurait", "aux", "avaient", "avait", "avec", "avez", "avons", "c", "ce", "ces", "cet", "cette", "d",
    "dans", "de", "des", "du", "elle", "en", "es", "et", "eu", "eux", "il", "ils", "j", "je", "l", "la", "le", "les",
    "leur", "leurs", "lui", "m", "ma", "mais", "me", "mes", "moi", "mon", "même", "n", "ne", "nos", "notre", "nous",
    "on", "ont", "ou", "par", "pas", "pour", "qu", "que", "qui", "s", "sa", "sans", "se", "sera", "serait", "ses",
    "sont", "suis", "sur", "t", "ta", "te", "tes", "toi", "ton", "tu", "un", "une", "vos", "votre", "vous", "y", "à",
    "étaient", "était", "êtes",
];

#[rustfmt::skip]
static GERMAN: &[&str] = &[
    "aber", "als", "am", "an", "auch", "auf", "aus", "bei", "bin", "bis", "bist", "da", "damit", "dann", "das", "daß",
    "dein", "deine", "deinem", "deinen", "deiner", "dem", "den", "denn", "der", "des", "dich", "die", "diese",
    "diesem", "diesen", "dieser", "dieses", "dir", "doch", "dort", "du", "durch", "ein", "eine", "einem", "einen",
    "einer", "eines", "er", "es", "euch", "euer", "für", "gegen", "gewesen", "habe", "haben", "hat", "hatte", "hatten",
    "hier", "hinter", "ich", "ihm", "ihn", "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer", "im", "in", "ins", "ist",
    "jede", "jeder", "jedes", "jene", "jener", "jenes", "jetzt", "kann", "kein", "keine", "keinem", "keinen", "keiner",
    "keines", "können", "könnte", "man", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir", "mit", "muss",
    "musste", "nach", "nicht", "noch", "nun", "nur", "ob", "oder", "ohne", "sehr", "sein", "seine", "seinem", "seinen",
    "seiner", "sich", "sie", "sind", "so", "soll", "sollte", "sondern", "um", "und", "uns", "unser", "unter", "vom",
    "von", "vor", "war", "waren", "warst", "was", "weil", "welche", "welcher", "welches", "wenn", "werde", "werden",
    "wie", "will", "wir", "wird", "wo", "wollen", "wollte", "während", "würde", "würden", "zu", "zum", "zur",
    "zwischen", "über",
];

#[rustfmt::skip]
static ITALIAN: &[&str] = &[
    "a", "abbiamo", "agli", "ai", "al", "all", "alla", "alle", "allo", "anche", "avendo", "avete", "aveva", "avevano",
    "che", "chi", "ci", "coi", "col", "come", "con", "cui", "da", "dagli", "dai", "dal", "dall", "dalla", "dalle",
    "dallo", "degli", "dei", "del", "dell", "della", "delle", "dello", "di", "dove", "e", "ed", "era", "erano",
    "essendo", "fu", "fui", "gli", "ha", "hai", "hanno", "ho", "i", "il", "in", "io", "l", "la", "le", "lei", "lo",
    "loro", "lui", "ma", "mi", "mia", "mie", "miei", "mio", "ne", "negli", "nei", "nel", "nell", "nella", "nelle",
    "nello", "noi", "non", "nostra", "nostre", "nostri", "nostro", "o", "per", "perché", "più", "quale", "quella",
    "quelle", "quelli", "quello", "questa", "queste", "questi", "questo", "se", "sei", "si", "siamo", "siete", "sono",
    "su", "sua", "sue", "sugli", "sui", "sul", "sull", "sulla", "sulle", "sullo", "suo", "suoi", "ti", "tra", "tu",
    "tua", "tue", "tuo", "tuoi", "un", "una", "uno", "vi", "voi", "vostra", "vostre", "vostri", "vostro", "è",
];

#[rustfmt::skip]
static PORTUGUESE: &[&str] = &[
    "a", "ao", "aos", "aquela", "aquelas", "aquele", "aqueles", "aquilo", "as", "até", "com", "como", "da", "das",
    "de", "do", "dos", "e", "ela", "elas", "ele", "eles", "em", "entre", "era", "eram", "essa", "essas", "esse",
    "esses", "esta", "estas", "estava", "estavam", "este", "estes", "está", "estão", "eu", "foi", "foram", "há",
    "isso", "isto", "já", "lhe", "lhes", "mais", "mas", "me", "meu", "meus", "minha", "minhas", "muito", "na", "nas",
    "nem", "no", "nos", "nossa", "nossas", "nosso", "nossos", "num", "numa", "não", "nós", "o", "os", "ou", "para",
    "pela", "pelas", "pelo", "pelos", "por", "qual", "quando", "que", "quem", "se", "sem", "seu", "seus", "sou", "sua",
    "suas", "são", "só", "também", "te", "tem", "teu", "teus", "tinha", "tinham", "tu", "tua", "tuas", "um", "uma",
    "você", "vocês", "vos", "à", "às",
];

#[rustfmt::skip]
static SPANISH: &[&str] = &[
    "a", "al", "ante", "como", "con", "contra", "cual", "cuando", "de", "del", "desde", "donde", "durante", "e", "el",
    "ella", "ellas", "ellos", "en", "entre", "era", "eran", "es", "esa", "esas", "ese", "eso", "esos", "esta",
    "estaba", "estas", "este", "esto", "estos", "estoy", "está", "están", "fue", "fueron", "ha", "había", "habían",
    "han", "hasta", "hay", "he", "la", "las", "le", "les", "lo", "los", "me", "mi", "mis", "muy", "más", "mí", "ni",
    "no", "nos", "nosotros", "nuestra", "nuestras", "nuestro", "nuestros", "o", "os", "para", "pero", "por", "porque",
    "que", "quien", "quienes", "qué", "se", "sido", "sin", "sobre", "son", "soy", "su", "sus", "sí", "también", "te",
    "tengo", "ti", "tiene", "tienen", "tu", "tus", "tú", "un", "una", "unos", "vosotros", "vuestra", "vuestro", "y",
    "ya", "yo", "él",
];
