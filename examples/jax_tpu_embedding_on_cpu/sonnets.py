"""Three of Shakespeare's sonnets as numbered words, for a next-word model."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.int32]

TEXT = """
Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date:
Sometime too hot the eye of heaven shines,
And often is his gold complexion dimm'd;
And every fair from fair sometime declines,
By chance, or nature's changing course, untrimm'd;
But thy eternal summer shall not fade
Nor lose possession of that fair thou ow'st;
Nor shall Death brag thou wander'st in his shade,
When in eternal lines to time thou grow'st:
So long as men can breathe or eyes can see,
So long lives this, and this gives life to thee.

Let me not to the marriage of true minds
Admit impediments. Love is not love
Which alters when it alteration finds,
Or bends with the remover to remove:
O no! it is an ever-fixed mark
That looks on tempests and is never shaken;
It is the star to every wandering bark,
Whose worth's unknown, although his height be taken.
Love's not Time's fool, though rosy lips and cheeks
Within his bending sickle's compass come;
Love alters not with his brief hours and weeks,
But bears it out even to the edge of doom.
If this be error and upon me proved,
I never writ, nor no man ever loved.

My mistress' eyes are nothing like the sun;
Coral is far more red than her lips' red;
If snow be white, why then her breasts are dun;
If hairs be wires, black wires grow on her head.
I have seen roses damask'd, red and white,
But no such roses see I in her cheeks;
And in some perfumes is there more delight
Than in the breath that from my mistress reeks.
I love to hear her speak, yet well I know
That music hath a far more pleasing sound;
I grant I never saw a goddess go;
My mistress, when she walks, treads on the ground:
And yet, by heaven, I think my love as rare
As any she belied with false compare.
"""
"""Sonnets 18, 116 and 130."""


@dataclass(frozen=True)
class Corpus:
    """A text whose words are numbered in the order in which they first occur."""

    vocabulary: tuple[str, ...]
    words: Words
    """`[length]`: the numbers of the words of the text."""

    @classmethod
    def of(cls, text: str) -> Corpus:
        """Return the corpus of a text; case and punctuation are ignored."""
        words = re.findall(r"[a-z][a-z'-]*", text.lower())
        vocabulary = tuple(dict.fromkeys(words))
        number_of = {word: number for number, word in enumerate(vocabulary)}
        return cls(vocabulary, np.array([number_of[word] for word in words], np.int32))

    def windows(self, length: int) -> tuple[Words, Words]:
        """Return all windows of `length` words `[windows, length]`, and the next words `[windows]`."""
        every = np.lib.stride_tricks.sliding_window_view(self.words, length + 1)
        return every[:, :-1], every[:, -1]

    def spelled(self, words: Words) -> str:
        """Return the text of words."""
        return " ".join(self.vocabulary[word] for word in words)
