"""What a dataset really tests: which words matter, which shortcuts solve it, and what gives the answer away."""

from deixis.audits.audit import Audit as Audit
from deixis.audits.audit import Information as Information
from deixis.audits.audit import Share as Share
