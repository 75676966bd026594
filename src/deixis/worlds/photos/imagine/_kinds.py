"""The kinds of thing that can be imagined: their sizes, colours, materials and states.

The names are those of GQA (Hudson and Manning, 2019), each drawn about as often as it is said there. Heights are in
metres, with small things larger than they are so that they can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing.

    Attributes:
        height: in metres, standing.
        ratio: width by height.
        materials: which it may be made of; an empty one is of no material that can be seen.
        states: what it may be doing, or how it may be; empty for nothing of note.
        size: 'size' for things that are small or large, 'height' for those that are short or tall, else empty.
        facing: whether it may face left as well as right.
    """

    name: str
    height: float
    ratio: float
    colors: tuple[str, ...]
    materials: tuple[str, ...] = ("",)
    patterns: tuple[str, ...] = ()
    states: tuple[str, ...] = ("",)
    shapes: tuple[str, ...] = ("",)
    size: str = "size"
    facing: bool = True


FUR = "brown black white gray tan"
PAINT = "white black gray silver red blue green yellow orange maroon"
CLOTH = "white black gray red blue green yellow orange pink purple brown tan teal maroon dark_blue light_blue"
TIMBER = "brown light_brown dark_brown tan white black"
DISHES = "white blue red green yellow black orange brown pink"
PLAIN = "striped checkered dotted"


def _kind(name: str, height: float, ratio: float, colors: str, *, facing: bool = True, **more: str) -> Kind:
    size = more.pop("size", "size")
    lists = {key: tuple(_words(value)) for key, value in more.items()}
    return Kind(name, height, ratio, tuple(_words(colors)), size=size, facing=facing, **lists)


def _words(text: str) -> Iterator[str]:
    """The words of a text; underscores stand for spaces, 'none' for no word."""
    for word in text.split():
        yield "" if word == "none" else word.replace("_", " ")


_ALL = (
    # people; their colour is that of their skin, of which nothing is said
    _kind("man", 1.75, 0.42, "", size=""),
    _kind("woman", 1.66, 0.42, "", size=""),
    _kind("boy", 1.25, 0.42, "", size=""),
    _kind("girl", 1.2, 0.42, "", size=""),
    _kind("player", 1.75, 0.42, "", size=""),
    # what people wear
    _kind("shirt", 0.6, 1.0, CLOTH, patterns=PLAIN, size=""),
    _kind("jacket", 0.7, 1.0, CLOTH, size=""),
    _kind("dress", 0.9, 0.6, CLOTH, patterns="striped dotted", size=""),
    _kind("pants", 0.8, 0.5, "black blue brown gray tan white green", size=""),
    _kind("jeans", 0.8, 0.5, "blue dark_blue light_blue", size=""),
    _kind("shorts", 0.4, 1.0, CLOTH, patterns="striped checkered", size=""),
    _kind("skirt", 0.4, 1.0, CLOTH, patterns=PLAIN, size=""),
    _kind("shoes", 0.1, 2.0, "black white brown red blue gray", size=""),
    _kind("hat", 0.2, 1.6, "brown black white tan red blue", size=""),
    _kind("cap", 0.15, 1.6, CLOTH, size=""),
    _kind("helmet", 0.2, 1.2, "red white blue black yellow silver", size=""),
    _kind("glasses", 0.06, 3.0, "black brown red", size=""),
    _kind("tie", 0.3, 0.3, "red blue black purple green yellow", size=""),
    _kind("scarf", 0.3, 0.6, CLOTH, patterns="striped", size=""),
    # animals
    _kind("dog", 0.6, 1.25, FUR, states="standing sitting lying"),
    _kind("cat", 0.48, 1.25, "black white gray orange brown", states="standing sitting lying"),
    _kind("horse", 1.7, 1.2, "brown black white gray tan dark_brown", states="standing eating"),
    _kind("cow", 1.4, 1.45, "brown black white tan", states="standing eating lying"),
    _kind("sheep", 0.9, 1.2, "white white black tan gray", states="standing eating lying"),
    _kind("elephant", 2.5, 1.3, "gray gray brown", states="standing"),
    _kind("giraffe", 3.6, 0.68, "tan yellow", states="standing"),
    _kind("zebra", 1.5, 1.2, "white", states="standing eating", size=""),
    _kind("bear", 1.2, 1.35, "brown black white", states="standing"),
    _kind("bird", 0.34, 1.1, "white black brown gray blue red yellow", states="standing flying"),
    _kind("duck", 0.42, 1.2, "white brown yellow gray"),
    _kind("teddy bear", 0.5, 0.85, "brown light_brown tan white pink"),
    # vehicles
    _kind("car", 1.4, 2.2, PAINT),
    _kind("taxi", 1.45, 2.1, "yellow", size=""),
    _kind("van", 1.7, 1.8, PAINT),
    _kind("truck", 1.9, 1.9, PAINT),
    _kind("bus", 2.2, 2.1, "red blue green yellow white orange"),
    _kind("train", 2.7, 3.4, "red blue green silver yellow orange white", size=""),
    _kind("bike", 1.05, 1.6, "red blue black green white yellow orange"),
    _kind("motorcycle", 1.15, 1.6, "black red blue silver green yellow"),
    _kind("boat", 2.4, 1.3, "white blue red green yellow brown"),
    _kind("airplane", 4.0, 2.0, "white gray red blue yellow silver"),
    _kind("skateboard", 0.22, 2.8, "black red blue brown green yellow pink"),
    _kind("surfboard", 1.9, 0.3, "white yellow blue red green orange pink", patterns="striped", size=""),
    _kind("cart", 0.95, 1.2, "gray red blue green brown"),
    # plants and stones
    _kind("tree", 3.3, 0.75, "green", states="none none none bare", size="height"),
    _kind("palm tree", 3.4, 0.8, "green", size="height"),
    _kind("bush", 0.9, 1.6, "green"),
    _kind("flower", 0.5, 0.55, "red pink yellow white purple orange blue"),
    _kind("plant", 0.8, 0.85, "green"),
    _kind("rock", 0.6, 1.5, "gray brown black tan"),
    _kind("log", 0.5, 2.6, "brown light_brown dark_brown", materials="wood"),
    _kind("hay", 0.8, 1.5, "gold tan", size=""),
    # along the street
    _kind(
        "building",
        6.5,
        0.9,
        "red brown white gray tan beige yellow blue orange",
        materials="brick none concrete",
        size="",
    ),
    _kind("house", 4.4, 1.25, "white beige yellow blue red tan brown gray", materials="none wood", size=""),
    _kind(
        "window",
        1.1,
        0.8,
        "white brown black gray blue green",
        states="closed closed open lit",
        shapes="none none none round",
        size="",
        facing=False,
    ),
    _kind(
        "door",
        2.0,
        0.48,
        "brown white red blue green black",
        materials="wood none",
        states="closed closed open",
        size="",
        facing=False,
    ),
    _kind("fence", 1.1, 3.2, "white brown gray black", materials="wood", size="", facing=False),
    _kind("pole", 3.4, 0.05, "gray black brown silver white", materials="metal wood", size="height", facing=False),
    _kind("street light", 3.8, 0.4, "gray black silver green", materials="metal", states="none lit", size="height"),
    _kind("traffic light", 2.6, 0.3, "black", states="red yellow green", size="", facing=False),
    _kind(
        "sign",
        0.7,
        1.4,
        "white blue green red yellow black orange",
        shapes="rectangular rectangular round triangular",
        size="size",
        facing=False,
    ),
    _kind("stop sign", 0.8, 1.0, "red", shapes="octagonal", size="", facing=False),
    _kind("street sign", 0.3, 3.6, "green blue", size="", facing=False),
    _kind("bench", 0.95, 1.9, TIMBER + " green", materials="wood", size="", facing=False),
    _kind(
        "trash can", 0.85, 0.75, "gray green black blue silver brown", materials="metal none", size="size", facing=False
    ),
    _kind("fire hydrant", 0.8, 0.7, "red yellow white blue silver", materials="metal", size="", facing=False),
    _kind("cone", 0.6, 0.8, "orange", facing=False),
    _kind("statue", 2.2, 0.5, "gray white black brown gold", materials="stone metal", size="size"),
    _kind("flag", 1.8, 1.0, "red blue white yellow green orange", patterns="striped checkered", size=""),
    _kind("tent", 1.6, 1.6, "orange blue green red yellow white", size="size"),
    _kind("ladder", 2.0, 0.35, "brown silver gray", materials="wood metal", size="", facing=False),
    _kind("bridge", 2.6, 3.2, "gray brown tan", materials="brick stone", size="", facing=False),
    _kind("bucket", 0.45, 0.95, "blue red gray white green silver yellow", materials="none metal", facing=False),
    # sky and land
    _kind("cloud", 1.2, 2.2, "white gray", size="size"),
    _kind("sun", 1.0, 1.0, "yellow", size="", facing=False),
    _kind("mountain", 5.0, 1.9, "gray brown blue", size="size"),
    _kind("hill", 2.0, 3.0, "green brown", size=""),
    _kind("kite", 0.9, 0.75, "red yellow blue green orange pink purple", patterns="striped checkered", size="size"),
    _kind("sky", 1.0, 1.0, "blue light_blue", size="", facing=False),
    _kind("ground", 1.0, 1.0, "brown tan gray", size="", facing=False),
    _kind("grass", 1.0, 1.0, "green", size="", facing=False),
    _kind("field", 1.0, 1.0, "green", size="", facing=False),
    _kind("dirt", 1.0, 1.0, "brown light_brown tan", size="", facing=False),
    _kind("street", 1.0, 1.0, "gray", size="", facing=False),
    _kind("road", 1.0, 1.0, "gray", size="", facing=False),
    _kind("sidewalk", 1.0, 1.0, "gray tan", materials="concrete", size="", facing=False),
    _kind("path", 1.0, 1.0, "tan gray light_brown", size="", facing=False),
    _kind("water", 1.0, 1.0, "blue teal", size="", facing=False),
    _kind("ocean", 1.0, 1.0, "blue teal", size="", facing=False),
    _kind("sand", 1.0, 1.0, "tan beige", size="", facing=False),
    _kind("platform", 1.0, 1.0, "gray tan", materials="concrete", size="", facing=False),
    _kind("train tracks", 1.0, 1.0, "brown", size="", facing=False),
    _kind("dock", 1.0, 1.0, "brown light_brown gray", materials="wood", size="", facing=False),
    _kind("home plate", 0.3, 1.9, "white", size="", facing=False),
    # rooms
    _kind(
        "wall",
        1.0,
        1.0,
        "white beige light_blue yellow pink green gray tan",
        materials="none none none brick",
        patterns="striped",
        size="",
        facing=False,
    ),
    _kind(
        "floor", 1.0, 1.0, "brown light_brown gray tan white dark_brown", materials="wood none", size="", facing=False
    ),
    _kind(
        "table",
        0.78,
        1.7,
        TIMBER,
        materials="wood wood none",
        shapes="rectangular rectangular round",
        size="size",
        facing=False,
    ),
    _kind("desk", 0.8, 1.9, TIMBER, materials="wood", size="", facing=False),
    _kind("chair", 0.98, 0.62, TIMBER + " red blue green yellow gray", materials="wood none", size="size"),
    _kind(
        "couch",
        0.95,
        2.0,
        "brown white gray red blue black green tan beige",
        materials="none leather",
        patterns="striped",
        size="size",
        facing=False,
    ),
    _kind(
        "bed", 0.95, 2.2, "white blue red gray pink green purple", patterns="striped checkered", size="", facing=True
    ),
    _kind("shelf", 1.3, 0.85, TIMBER, materials="wood", size="", facing=False),
    _kind(
        "cabinet", 0.95, 1.1, TIMBER + " gray", materials="wood", states="closed closed open", size="size", facing=False
    ),
    _kind("counter", 0.95, 3.0, "white gray black brown tan", size="", facing=False),
    _kind("lamp", 0.6, 0.5, "white yellow red blue green orange tan", states="none lit", size="size", facing=False),
    _kind(
        "rug",
        0.42,
        3.2,
        "red blue green white brown gray purple tan",
        patterns=PLAIN,
        shapes="rectangular rectangular round",
        size="size",
        facing=False,
    ),
    _kind(
        "curtain",
        1.4,
        0.36,
        "white red blue green yellow purple brown",
        patterns="striped dotted",
        size="",
        facing=False,
    ),
    _kind("blinds", 1.0, 0.8, "white tan gray", states="closed", size="", facing=False),
    _kind("picture", 0.6, 1.2, "brown black white gold", shapes="rectangular", size="size", facing=False),
    _kind("mirror", 0.75, 0.8, "brown white gold silver black", shapes="rectangular round", size="size", facing=False),
    _kind(
        "clock", 0.4, 1.0, "white black brown red gold silver", shapes="round round square", size="size", facing=False
    ),
    _kind("pillow", 0.36, 1.1, CLOTH, patterns=PLAIN, size=""),
    _kind("blanket", 0.5, 1.8, CLOTH, patterns=PLAIN, size="", facing=False),
    _kind("towel", 0.62, 0.62, "white blue green pink yellow red tan", patterns="striped", size=""),
    _kind("television", 0.68, 1.6, "black gray silver", states="on off", size="size", facing=False),
    _kind(
        "fireplace", 1.2, 1.2, "white red brown gray", materials="brick stone", states="none lit", size="", facing=False
    ),
    _kind("toilet", 0.82, 0.85, "white", materials="porcelain", states="closed open", size=""),
    _kind("sink", 0.88, 0.8, "white gray", materials="porcelain", size="", facing=False),
    _kind("bathtub", 0.75, 2.2, "white", materials="porcelain", size="", facing=False),
    _kind("faucet", 0.28, 0.9, "silver gold", materials="metal", size=""),
    _kind("toilet paper", 0.24, 1.0, "white", size=""),
    _kind(
        "refrigerator",
        1.75,
        0.5,
        "white silver black gray",
        materials="metal none",
        states="closed",
        size="",
        facing=False,
    ),
    _kind("stove", 0.98, 0.9, "white black silver", size="", facing=False),
    _kind("microwave", 0.4, 1.6, "white black silver", size="", facing=False),
    # belongings
    _kind("book", 0.3, 0.72, "red blue green brown black yellow white purple orange", size="size", facing=False),
    _kind("box", 0.45, 1.1, "brown tan white blue red", states="closed open", size="size"),
    _kind("basket", 0.45, 1.15, "brown tan light_brown white", materials="wicker", size="size", facing=False),
    _kind("candle", 0.3, 0.36, "white red yellow pink purple", states="lit none", size="size", facing=False),
    _kind(
        "vase",
        0.42,
        0.6,
        "white blue red green yellow purple brown black",
        patterns="striped dotted",
        size="size",
        facing=False,
    ),
    _kind("laptop", 0.34, 1.4, "silver black gray white", states="open open closed", size="", facing=False),
    _kind("monitor", 0.52, 1.25, "black gray silver white", states="on off", size="size", facing=False),
    _kind("keyboard", 0.14, 3.2, "black white gray", size="", facing=False),
    _kind("computer mouse", 0.1, 1.5, "black white gray red", size=""),
    _kind("phone", 0.24, 0.55, "black white silver red blue", size="", facing=False),
    _kind("remote control", 0.1, 2.8, "black gray white", size="", facing=False),
    _kind("paper", 0.22, 1.1, "white yellow", size="", facing=False),
    _kind("pen", 0.14, 1.2, "blue black red", size=""),
    _kind("suitcase", 0.8, 0.68, "black blue red gray brown green purple", size="size", facing=False),
    _kind("backpack", 0.58, 0.8, "blue black red green gray purple orange", size="size", facing=False),
    _kind(
        "bag",
        0.48,
        0.95,
        "black brown white red blue green pink tan",
        patterns="striped dotted",
        materials="none",
        size="size",
        facing=False,
    ),
    _kind("purse", 0.36, 1.15, "black brown red pink white tan", materials="none leather", size="", facing=False),
    _kind(
        "umbrella",
        1.5,
        1.15,
        "red blue black yellow green purple pink white orange",
        patterns="striped dotted",
        size="",
        facing=False,
    ),
    _kind("ball", 0.3, 1.0, "white red blue yellow orange green", size="size"),
    _kind("frisbee", 0.13, 2.6, "white red yellow blue orange pink", size="", facing=False),
    _kind("racket", 0.75, 0.42, "red blue black white yellow", size="", facing=False),
    _kind("bat", 0.95, 0.17, "brown black silver tan", materials="wood metal", size="", facing=False),
    _kind("net", 0.95, 4.6, "black white green", size="", facing=False),
    _kind("glove", 0.26, 0.95, "brown black tan red", size=""),
    _kind("speaker", 0.6, 0.6, "black gray brown", size="size", facing=False),
    _kind("fan", 0.62, 0.75, "white black blue gray", size="", facing=False),
    # tableware and food
    _kind("plate", 0.13, 2.0, DISHES, shapes="round round square", size="size", facing=False),
    _kind("bowl", 0.19, 1.55, DISHES, patterns="striped dotted", size="size", facing=False),
    _kind("cup", 0.2, 1.0, DISHES, patterns="striped dotted", size="size"),
    _kind("glass", 0.25, 0.62, "orange red light_blue yellow", materials="glass", size="size", facing=False),
    _kind("wine glass", 0.34, 0.5, "maroon gold red", materials="glass", size="", facing=False),
    _kind("bottle", 0.4, 0.36, "green brown blue white red yellow", materials="glass none", size="size", facing=False),
    _kind("jar", 0.26, 0.8, "red orange yellow brown green", size="size", facing=False),
    _kind("pot", 0.32, 1.2, "silver black red blue white", materials="metal", size="size", facing=False),
    _kind("pan", 0.2, 2.3, "black silver red", materials="metal", size="", facing=True),
    _kind("tray", 0.18, 2.4, "brown black silver red white", materials="wood metal none", size="", facing=False),
    _kind("fork", 0.25, 0.2, "silver", materials="metal", size="", facing=False),
    _kind("knife", 0.26, 0.2, "black brown silver red", size="", facing=False),
    _kind("spoon", 0.25, 0.24, "silver", materials="metal none", size="", facing=False),
    _kind(
        "napkin", 0.16, 1.3, "white red blue yellow green", patterns="checkered striped dotted", size="", facing=False
    ),
    _kind("pizza", 0.2, 1.9, "yellow", shapes="round", size="size"),
    _kind("donut", 0.125, 1.35, "pink brown white yellow blue", shapes="round", size="size", facing=False),
    _kind("banana", 0.13, 1.5, "yellow yellow green", size=""),
    _kind("apple", 0.13, 1.0, "red green yellow", shapes="round", size="size"),
    _kind("orange", 0.13, 1.0, "orange", shapes="round", size="", facing=False),
    _kind("tomato", 0.115, 1.1, "red", shapes="round", size="size", facing=False),
    _kind("carrot", 0.115, 1.5, "orange", size=""),
    _kind("broccoli", 0.14, 1.0, "green", size="", facing=False),
    _kind("sandwich", 0.16, 1.4, "brown", size="", facing=False),
    _kind("hot dog", 0.12, 2.1, "brown", size=""),
    _kind("bread", 0.15, 1.6, "brown light_brown tan", size=""),
    _kind("cake", 0.24, 1.25, "white brown pink yellow", size="size", facing=False),
    _kind("egg", 0.1, 1.7, "white", size=""),
    _kind("cheese", 0.14, 1.3, "yellow", size=""),
    _kind("fries", 0.2, 0.85, "yellow", size="", facing=False),
    _kind("pepper", 0.14, 0.95, "red green yellow orange", size=""),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}
UNSAID_COLORS = frozenset(  # of many colours, or of one that nobody would mention
    (
        "man",
        "woman",
        "boy",
        "girl",
        "player",
        "pizza",
        "sandwich",
        "fries",
        "egg",
        "hot dog",
        "zebra",
        "giraffe",
        "train tracks",
    )
)
