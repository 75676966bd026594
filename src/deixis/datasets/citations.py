"""Whom to cite for a dataset: the papers that it follows."""

from __future__ import annotations

from deixis.datasets.card_facts import Citation


__all__ = ["A3DS", "COPSREF", "GSCAN", "REASCAN", "SHAPES3D"]

REASCAN = Citation(
    line="Wu et al. 2021",
    bibtex="""@inproceedings{wu2021reascan,
  title     = {{ReaSCAN}: Compositional Reasoning in Language Grounding},
  author    = {Wu, Zhengxuan and Kreiss, Elisa and Ong, Desmond C. and Potts, Christopher},
  booktitle = {NeurIPS Datasets and Benchmarks Track},
  year      = {2021}
}""",
)
GSCAN = Citation(
    line="Ruis et al. 2020",
    bibtex="""@inproceedings{ruis2020gscan,
  title     = {A Benchmark for Systematic Generalization in Grounded Language Understanding},
  author    = {Ruis, Laura and Andreas, Jacob and Baroni, Marco and Bouchacourt, Diane and Lake, Brenden M.},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2020}
}""",
)
A3DS = Citation(
    line="Tsvilodub and Franke 2023",
    bibtex="""@inproceedings{tsvilodub2023a3ds,
  title     = {Evaluating Pragmatic Abilities of Image Captioners on {A3DS}},
  author    = {Tsvilodub, Polina and Franke, Michael},
  booktitle = {Proceedings of the Annual Meeting of the Association for Computational Linguistics},
  year      = {2023}
}""",
)
SHAPES3D = Citation(
    line="Burgess and Kim 2018",
    bibtex="""@misc{burgess2018shapes,
  title  = {{3D} Shapes Dataset},
  author = {Burgess, Chris and Kim, Hyunjik},
  year   = {2018}
}""",
)
COPSREF = Citation(
    line="Chen et al. 2020",
    bibtex="""@inproceedings{chen2020copsref,
  title     = {{Cops-Ref}: A New Dataset and Task on Compositional Referring Expression Comprehension},
  author    = {Chen, Zhenfang and Wang, Peng and Ma, Lin and Wong, Kwan-Yee K. and Wu, Qi},
  booktitle = {Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition},
  year      = {2020}
}""",
)
