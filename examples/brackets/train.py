"""Train the model of the tutorial: which prefixes of a string of brackets are balanced. A minute on one core.

python train.py writes config.json, model.safetensors and vocab.json beside itself. Needs torch and transformers.
"""

import itertools
import json
import random
from pathlib import Path

import torch  # pyright: ignore[reportMissingImports]
from transformers import GPT2Config, GPT2LMHeadModel  # pyright: ignore[reportMissingImports]

TOKENS = ["(", ")", "yes", "no"]
LONGEST = 10


def balanced(word):
    depths = list(itertools.accumulate(1 if c == "(" else -1 for c in word))
    return all(d >= 0 for d in depths) and (not depths or depths[-1] == 0)


def main():
    torch.manual_seed(0)
    random.seed(0)
    config = GPT2Config(
        vocab_size=4, n_positions=16, n_embd=16, n_layer=1, n_head=2, n_inner=32, activation_function="gelu_new",
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=None, eos_token_id=None,
    )
    model = GPT2LMHeadModel(config)
    words = ["".join(w) for w in itertools.product("()", repeat=LONGEST)]
    good = [w for w in words if any(balanced(w[:k]) for k in range(4, LONGEST + 1))]
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    steps = 2000
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=steps)
    for step in range(steps):
        batch = random.sample(words, 32) + random.sample(good, 32)
        inputs = torch.tensor([[TOKENS.index(c) for c in w] for w in batch])
        wanted = torch.tensor([[2 if balanced(w[:k]) else 3 for k in range(1, LONGEST + 1)] for w in batch])
        loss = torch.nn.functional.cross_entropy(model(inputs).logits.reshape(-1, 4), wanted.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 0:
            print(step, float(loss), flush=True)
    with torch.no_grad():
        inputs = torch.tensor([[TOKENS.index(c) for c in w] for w in words])
        wanted = torch.tensor([[2 if balanced(w[:k]) else 3 for k in range(1, LONGEST + 1)] for w in words])
        print("wrong", int((model(inputs).logits.argmax(-1) != wanted).sum()), "of", wanted.numel())
    folder = Path(__file__).parent
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    table = {token: k for k, token in enumerate(TOKENS)}
    (folder / "vocab.json").write_text(json.dumps(table) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
