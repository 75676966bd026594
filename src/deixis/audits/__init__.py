"""What a dataset really tests: which words matter, which shortcuts solve it, and what gives the answer away."""

from deixis.audits.audit import Audit as Audit
from deixis.audits.information import Information as Information
from deixis.audits.information import Share as Share
