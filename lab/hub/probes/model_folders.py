"""Writes and loads configurations and tokenizers of model folders with the transformers of this interpreter. No weights.

model_folders.py write FOLDER SEED COUNT    a folder for each of COUNT types of models, drawn by SEED, and for each form of
                                            rope, and two tokenizers
model_folders.py load FOLDER...             for each folder a line: the path, `loads` or the error

A type whose configuration cannot be made without arguments is left out.
"""
import json
import os
import random
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TRANSFORMERS_VERBOSITY="critical")
import transformers  # noqa: E402

# Types that people have, where the release knows them.
OFTEN = ("llama", "qwen2", "qwen3", "mistral", "mixtral", "gemma2", "gemma3_text", "phi3", "bert", "gpt2", "t5", "gpt_neox",
         "falcon", "qwen2_vl", "whisper", "clip", "deepseek_v3", "cohere")
ROPES = {
    "linear": {"type": "linear", "factor": 2.0},
    "dynamic": {"type": "dynamic", "factor": 2.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 8192},
}


def write(folder, seed, count):
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    types = sorted(CONFIG_MAPPING.keys())
    drawn = [one for one in OFTEN if one in types]
    drawn += [one for one in random.Random(seed).sample(types, min(count, len(types))) if one not in drawn]
    made = [(one, one, {}) for one in drawn]
    made += [(f"llama-{name}", "llama", {"rope_scaling": rope}) for name, rope in ROPES.items()]
    for name, model_type, arguments in made:
        try:
            transformers.AutoConfig.for_model(model_type, **arguments).save_pretrained(f"{folder}/{name}")
        except Exception:
            continue
    from tokenizers import Tokenizer, models
    words = models.WordLevel({"a": 0, "b": 1, "[UNK]": 2}, unk_token="[UNK]")
    pairs = models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    for name, model in (("words", words), ("pairs", pairs)):
        place = f"{folder}/tokenizer-{name}"
        transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer(model)).save_pretrained(place)
        # A type that every release has.
        with open(f"{place}/config.json", "w") as out:
            json.dump({"model_type": "bert"}, out)


def load(path):
    if os.path.exists(f"{path}/tokenizer.json"):
        transformers.AutoTokenizer.from_pretrained(path)
    else:
        transformers.AutoConfig.from_pretrained(path)


if sys.argv[1] == "write":
    write(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    for path in sys.argv[2:]:
        try:
            load(path)
            said = "loads"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}".replace("\n", " ").replace("\t", " ")[:200]
        print(path, said, sep="\t", flush=True)
