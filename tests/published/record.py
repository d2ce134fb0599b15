"""Record what transformers computes for the model of the tutorial, in float64: python tests/published/record.py

The file has the logits of a few strings with the versions that made them. Needs torch and transformers.
"""

from __future__ import annotations

import json
from pathlib import Path

MODEL = Path(__file__).parents[2] / "examples" / "brackets"
LOGITS = Path(__file__).with_name("logits.json")
WORDS = ("(", "()", "())(", "((()))", "(()())()(())")


def main() -> None:
    import torch
    import transformers

    model = transformers.GPT2LMHeadModel.from_pretrained(MODEL).double().eval()
    found = {}
    for word in WORDS:
        with torch.no_grad():
            found[word] = model(torch.tensor([["()".index(c) for c in word]])).logits[0].tolist()
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    LOGITS.write_text(json.dumps({"versions": versions, "logits": found}) + "\n")


if __name__ == "__main__":
    main()
