# Words of a text, and the random vector that stands for each.
import re

from lab.random import normal, stream_of

ALONE = (  # Han, kana, and marks of punctuation: each character is a token
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
    r"!-&(-,./:-@\[-\^`{-~\xa1-\xbf\u2010-\u2018\u201a-\u205e\u3001-\u303f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)


def words_of(text):
    blank = r"\x00-\x20\x7f\xa0\u3000"
    return re.findall(f"{ALONE}|(?:(?!{ALONE})[^{blank}])+", text)


def word_vector(seed, word, d):
    """Equal but for A-Z and a-z: the same vector."""
    folded = re.sub("[A-Z]", lambda letter: letter[0].lower(), word)
    return normal(seed, stream_of(folded), d)
