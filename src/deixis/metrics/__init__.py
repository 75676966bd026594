"""How captions are judged: pragmatic metrics, surface metrics, and how sure they are."""

from deixis.metrics.arrays import Mode as Mode
from deixis.metrics.arrays import Scores as Scores
from deixis.metrics.arrays import score_captions as score_captions
from deixis.metrics.arrays import score_mentions as score_mentions
from deixis.metrics.pragmatics import Denominator as Denominator
from deixis.metrics.pragmatics import Pragmatics as Pragmatics
from deixis.metrics.pragmatics import pragmatics as pragmatics
from deixis.metrics.summary import Summary as Summary
from deixis.metrics.summary import summarise as summarise
from deixis.metrics.uncertainty import Estimate as Estimate
from deixis.metrics.uncertainty import resample as resample
