"""The table of number words: English, Hindi in Devanagari, Hindi typed in Latin letters.

Every word that `quantities` counts stands here, and nowhere else. Spelling varies, so words are
compared folded: see `fold_roman` and `fold_nagari`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Literal

Role = Literal["base", "modifier", "multiplier", "times", "fraction"]
"""base: a number by itself · modifier: changes the number after it (sava, sadhe, paune) ·
multiplier: lakh, dozen · times: double, dugna · fraction: tihai, third (of the number before)."""


@dataclass(frozen=True, slots=True)
class NumberWord:
    """What one word does.

    Attributes:
        role: see `Role`.
        value: the number, what a modifier adds, or the factor.
        english: English words compose by other rules (`twenty five`) than Hindi ones.
        alone: value of a modifier with no number after it (`sava kilo` = 5/4).
        sure: False when the word is often no number; context rules in `quantities` then decide.
    """

    role: Role
    value: Fraction
    english: bool = False
    alone: Fraction | None = None
    sure: bool = True


# value, Devanagari spellings, Latin spellings (folding covers doubled letters, w/v and z/j)
_HINDI = """
0|शून्य|shunya
1|एक|ek
2|दो|do
3|तीन|teen
4|चार|chaar
5|पाँच|paanch
6|छह छः छे छै|chhah chhe cheh
7|सात|saat
8|आठ|aath
9|नौ|nau
10|दस|das dus
11|ग्यारह|gyarah gyara
12|बारह|barah
13|तेरह|terah
14|चौदह|chaudah
15|पंद्रह पन्द्रह|pandrah pandra pandhra
16|सोलह|solah
17|सत्रह|satrah
18|अठारह अट्ठारह|atharah athara
19|उन्नीस|unnees
20|बीस|bees
21|इक्कीस|ikkees
22|बाईस बाइस|baais baees
23|तेईस तेइस|teis
24|चौबीस|chaubees
25|पच्चीस|pachchees
26|छब्बीस|chhabbees
27|सत्ताईस सत्ताइस|sattais sattaees
28|अट्ठाईस अट्ठाइस अठाईस|atthais athaees
29|उनतीस उन्तीस|untees unattees
30|तीस|tees
31|इकतीस इकत्तीस|iktees ikattees
32|बत्तीस|battees
33|तैंतीस तेंतीस|taintees tentees
34|चौंतीस|chauntees
35|पैंतीस|paintees pentees
36|छत्तीस|chhattees
37|सैंतीस|saintees
38|अड़तीस|adtees artees
39|उनतालीस उन्तालीस|untaalees
40|चालीस|chaalees
41|इकतालीस|iktaalees
42|बयालीस बयालिस|bayaalees byaalees
43|तैंतालीस|taintaalees tentaalees
44|चौवालीस चवालीस|chauvaalees chavaalees
45|पैंतालीस|paintaalees pentaalees
46|छियालीस|chhiyaalees
47|सैंतालीस|saintaalees
48|अड़तालीस|adtaalees artaalees
49|उनचास|unchaas
50|पचास|pachaas
51|इक्यावन|ikyaavan
52|बावन|baavan
53|तिरपन तिरेपन|tirpan
54|चौवन|chauvan
55|पचपन|pachpan
56|छप्पन|chhappan
57|सत्तावन|sattaavan
58|अट्ठावन अठावन|atthaavan
59|उनसठ|unsath
60|साठ|saath
61|इकसठ|iksath
62|बासठ|baasath
63|तिरसठ तिरेसठ|tirsath
64|चौंसठ चौसठ|chaunsath chausath
65|पैंसठ|painsath
66|छियासठ|chhiyaasath
67|सड़सठ|sadsath
68|अड़सठ|adsath
69|उनहत्तर|unhattar
70|सत्तर|sattar
71|इकहत्तर|ikhattar
72|बहत्तर|bahattar
73|तिहत्तर|tihattar
74|चौहत्तर|chauhattar
75|पचहत्तर|pachhattar pachahattar
76|छिहत्तर|chhihattar
77|सतहत्तर|sathattar satahattar
78|अठहत्तर|athahattar
79|उन्यासी उनासी|unyaasi unaasi
80|अस्सी|assi
81|इक्यासी|ikyaasi
82|बयासी|bayaasi
83|तिरासी|tiraasi
84|चौरासी|chauraasi
85|पचासी|pachaasi
86|छियासी|chhiyaasi
87|सत्तासी सतासी|sattaasi
88|अट्ठासी अठासी|atthaasi
89|नवासी|navaasi
90|नब्बे|nabbe navve
91|इक्यानवे|ikyaanve
92|बानवे|baanve
93|तिरानवे|tiraanve
94|चौरानवे|chauraanve
95|पचानवे|pachaanve
96|छियानवे|chhiyaanve
97|सत्तानवे सतानवे|sattaanve
98|अट्ठानवे अठानवे|atthaanve
99|निन्यानवे|ninyaanve
3/2|डेढ़|dedh derh deadh
5/2|ढाई अढ़ाई|dhaai adhaai arhaai
1/2|आधा आधी आधे|aadha aadhi aadhe
"""
_HINDI_UNSURE = """
1/4|पाव|paav pao
2|दोनों|dono donon
3|तीनों|teeno teenon
4|चारों|chaaro chaaron
"""
_HINDI_MODIFIERS = """
1/4|सवा|sava|5/4
1/2|साढ़े|saadhe saade saarhe|
-1/4|पौने पौन पौना पौनी|paune paun pauna pauni|3/4
"""
_HINDI_MULTIPLIERS = """
12|दर्जन डज़न डजन|darjan darzan
100|सौ सैकड़ा|sau sou saikda
1000|हज़ार|hazaar
100000|लाख|lakh laakh lac
10000000|करोड़|karod karor crore
"""
_HINDI_TIMES = """
2|दुगुना दुगुनी दुगुने दोगुना दोगुनी दोगुने दुगना दुगनी दुगने दूना दूनी|duguna duguni dugune doguna doguni dogune dugna dugni dugne doona
3|तिगुना तिगुनी तिगुने|tiguna tiguni tigune tigna
4|चौगुना चौगुनी चौगुने|chauguna chauguni chaugune
"""
_HINDI_FRACTIONS = """
1/3|तिहाई|tihaai
1/4|चौथाई|chauthaai
"""
ENGLISH = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
ENGLISH_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ENGLISH_MULTIPLIERS = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
    "lakh": 100_000,
    "lakhs": 100_000,
    "lac": 100_000,
    "lacs": 100_000,
    "million": 10**6,
    "crore": 10**7,
    "crores": 10**7,
    "cr": 10**7,
    "billion": 10**9,
}
_ENGLISH_TIMES = {"twice": 2, "double": 2, "doubled": 2, "doubles": 2, "thrice": 3, "triple": 3}
_ENGLISH_FRACTIONS = {
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}
_BENGALI = """
100|শ শত
1000|হাজার
100000|লাখ লক্ষ
10000000|কোটি
12|ডজন
"""


def fold_roman(word: str) -> str:
    """Fold the spellings people type: `Hazaar`, `hazar`, `hajaar` are one; so are `bees`, `bis`.

    Lower case, w = v, z = j, ee = i, oo = u, chh = ch, every doubled letter once.
    """
    text = word.lower().replace("w", "v").replace("z", "j")
    text = text.replace("ee", "i").replace("oo", "u")
    text = re.sub(r"(?:ch)+h*", "ch", text)
    return re.sub(r"([a-z])\1+", r"\1", text)


def fold_nagari(word: str) -> str:
    """Fold Devanagari spellings: without nukta, chandrabindu as anusvara, no joiners."""
    text = unicodedata.normalize("NFD", word).replace("\u093c", "")
    text = text.replace("\u0901", "\u0902").replace("\u200c", "").replace("\u200d", "")
    return text.replace("न्द", "ंद")


@cache
def hindi_words() -> tuple[dict[str, NumberWord], dict[str, NumberWord]]:
    """Folded Devanagari words and folded Latin words of Hindi, each to what it does."""
    nagari: dict[str, NumberWord] = {}
    roman: dict[str, NumberWord] = {}

    def add(table: str, role: Role, *, sure: bool = True) -> None:
        for row in table.strip().splitlines():
            value, deva, latin, *alone = row.split("|")
            rest = Fraction(alone[0]) if alone and alone[0] else None
            word = NumberWord(role, Fraction(value), alone=rest, sure=sure)
            for spelling in deva.split():
                nagari.setdefault(fold_nagari(spelling), word)
            for spelling in latin.split():
                roman.setdefault(fold_roman(spelling), word)

    add(_HINDI_UNSURE, "base", sure=False)
    add(_HINDI, "base")
    add(_HINDI_MODIFIERS, "modifier")
    add(_HINDI_MULTIPLIERS, "multiplier")
    add(_HINDI_TIMES, "times")
    add(_HINDI_FRACTIONS, "fraction")
    return nagari, roman


@cache
def english_words() -> dict[str, NumberWord]:
    """Lower-case English words to what they do."""
    words = {name: NumberWord("base", Fraction(n), english=True) for n, name in enumerate(ENGLISH)}
    words |= {
        name: NumberWord("base", Fraction(10 * n), english=True)
        for n, name in enumerate(ENGLISH_TENS, start=2)
    }
    words["half"] = NumberWord("base", Fraction(1, 2), english=True)
    words["both"] = NumberWord("base", Fraction(2), english=True, sure=False)
    for name, n in _ENGLISH_MULTIPLIERS.items():
        words[name] = NumberWord("multiplier", Fraction(n), english=True)
    for name, n in _ENGLISH_TIMES.items():
        words[name] = NumberWord("times", Fraction(n), english=True)
    for name, n in _ENGLISH_FRACTIONS.items():
        words[name] = words[name + "s"] = NumberWord("fraction", Fraction(1, n), english=True)
    return words


@cache
def bengali_words() -> dict[str, NumberWord]:
    """Bengali multipliers; smaller number words of Bengali are not counted."""
    rows = (row.split("|") for row in _BENGALI.strip().splitlines())
    return {
        spelling: NumberWord("multiplier", Fraction(value))
        for value, spellings in rows
        for spelling in spellings.split()
    }
