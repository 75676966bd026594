"""Ready-made parts for worlds whose examples are scenes written out, expressions and targets.

A world of another package needs a schema, words, a function that draws one example, and perhaps a picture; the parts
here do the rest. `deixis new world NAME` writes a package that uses them.
"""

from deixis.worlds.example import PlainExample as PlainExample
from deixis.worlds.toolkit.examples import RowExamples as RowExamples
from deixis.worlds.toolkit.language import PhraseLanguage as PhraseLanguage
from deixis.worlds.toolkit.recipes import ExampleRecipes as ExampleRecipes
from deixis.worlds.toolkit.recipes import Recipe as Recipe
