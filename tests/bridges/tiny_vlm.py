"""A vision-language model of 180,000 weights, made on the spot: a LLaVA with a tokenizer of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)


try:
    from transformers import CLIPImageProcessorPil as ImageProcessor  # needs no torchvision
except ImportError:
    from transformers import CLIPImageProcessor as ImageProcessor


if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deixis.prompts.files import Prompt


SIDE, PATCH = 64, 16
ROLES = ("<|system|>", "<|user|>", "<|assistant|>")
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{% for part in message.content %}"
    "{% if part.type == 'image' %}<image>{% else %}{{ part.text }}{% endif %}{% endfor %}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def save_tiny_vlm(folder: Path, texts: Iterable[str]) -> None:
    """Save a model with random weights, and a processor whose tokenizer knows the words of some texts."""
    byte_pairs = Tokenizer(models.BPE())
    byte_pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    byte_pairs.decoder = decoders.ByteLevel()
    signs = ["<pad>", "<end>", "<image>", *ROLES]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=signs, initial_alphabet=alphabet, show_progress=False)
    byte_pairs.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=byte_pairs, pad_token=signs[0], eos_token=signs[1], additional_special_tokens=signs[2:]
    )
    size = {"height": SIDE, "width": SIDE}
    LlavaProcessor(
        image_processor=ImageProcessor(size=size, crop_size=size),
        tokenizer=tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        chat_template=TEMPLATE,
        image_token=signs[2],
        num_additional_image_tokens=1,
    ).save_pretrained(folder)
    eyes = CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=SIDE,
        patch_size=PATCH,
    )
    speech = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=4096,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    torch.default_generator.manual_seed(0)
    LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=eyes.to_dict(),
            text_config=speech.to_dict(),
            image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
            vision_feature_layer=-1,
            vision_feature_select_strategy="default",
        )
    ).save_pretrained(folder)


def teach(folder: Path, lessons: Iterable[tuple[Prompt, str]], *, steps: int) -> float:
    """Train a saved model to say an answer after each prompt, save it again, and return the last loss."""
    from transformers import AutoModelForImageTextToText, AutoProcessor

    processor = AutoProcessor.from_pretrained(folder)
    model = AutoModelForImageTextToText.from_pretrained(folder)
    batch = [_lesson(processor, prompt, answer) for prompt, answer in lessons]
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    model.train()
    loss = torch.zeros(())
    for _ in range(steps):
        loss = torch.stack([model(**inputs).loss for inputs in batch]).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    model.save_pretrained(folder)
    return float(loss.detach())


def _lesson(processor: Any, prompt: Prompt, answer: str) -> dict[str, torch.Tensor]:
    """A prompt with its answer, of which the answer alone is to be learnt."""
    inputs = processor.apply_chat_template(
        prompt.messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
    )
    said = processor.tokenizer(f"{answer}<end>", add_special_tokens=False, return_tensors="pt").input_ids
    before = inputs["input_ids"]
    whole = torch.cat((before, said), 1)
    labels = torch.cat((torch.full_like(before, -100), said), 1)
    return {**inputs, "input_ids": whole, "attention_mask": torch.ones_like(whole), "labels": labels}
