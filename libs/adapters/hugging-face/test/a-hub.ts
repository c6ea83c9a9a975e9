import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubStandIn, type StandInRepository } from '@palimpsest/test-kit';

const opened: HubStandIn[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((hub) => hub.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

export const aHub = async (): Promise<HubStandIn> => {
  const hub = await HubStandIn.open();
  opened.push(hub);
  return hub;
};

export const aFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-hub-'));
  folders.push(folder);
  return folder;
};

/** Large enough to be stored as an LFS file, with bytes that differ from place to place. */
export const WEIGHTS = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 31 + (i >> 8)) % 256));
export const TOKENIZER = JSON.stringify({ model: { type: 'Unigram', vocab: [] }, padding: 'x'.repeat(2_000) });

/** The files of a sentence embedding model, like those of `sentence-transformers`. */
export const aRepository = (files: StandInRepository['files'] = {}, rest: Omit<StandInRepository, 'files'> = {}): StandInRepository => ({
  files: {
    'README.md': 'A model.',
    'config.json': JSON.stringify({ model_type: 'xlm-roberta', hidden_size: 384, max_position_embeddings: 514 }),
    'modules.json': JSON.stringify([
      { idx: 0, path: '', type: 'sentence_transformers.models.Transformer' },
      { idx: 1, path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
      { idx: 2, path: '2_Normalize', type: 'sentence_transformers.models.Normalize' },
    ]),
    '1_Pooling/config.json': JSON.stringify({
      word_embedding_dimension: 384,
      pooling_mode_cls_token: false,
      pooling_mode_mean_tokens: true,
    }),
    'sentence_bert_config.json': JSON.stringify({ max_seq_length: 512, do_lower_case: false }),
    'config_sentence_transformers.json': JSON.stringify({ prompts: { query: 'query: ', document: 'passage: ' } }),
    'tokenizer.json': TOKENIZER,
    'onnx/model.onnx': Buffer.concat([WEIGHTS, WEIGHTS]),
    'onnx/model_quantized.onnx': WEIGHTS,
    'model.safetensors': Buffer.alloc(5_000, 7),
    ...files,
  },
  card: { license: 'mit', language: ['multilingual', 'de', 'en'] },
  ...rest,
});

/** Retries without waiting. */
export const AT_ONCE = { attempts: 3, delayMs: 0 };
