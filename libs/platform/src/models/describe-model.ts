import { openAiModel } from '@palimpsest/adapters-openai';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ModelTraits } from '@palimpsest/knowledge/ports';
import type { EndpointDefinition, ModelDefinition } from '@palimpsest/knowledge/models';
import type { UnopenedModel } from './lazy-provider.ts';

/** A model that was declared, with what is known of it before it is loaded. */
export type DescribedModel = UnopenedModel & Readonly<{ traits?: ModelTraits; definition: ModelDefinition; location?: string }>;

/** What the processes of an installation may differ in. `variable`: the value of an environment variable. */
export type ModelOptions = Readonly<{ threads: number; variable: (name: string) => string | undefined }>;

/**
 * Checks a definition without loading the model: reads `model.json` of a folder, or the settings of an endpoint.
 * @throws InvalidValue naming the field
 */
export const describeModel = async (definition: ModelDefinition, { threads, variable }: ModelOptions): Promise<DescribedModel> => {
  const { onnx: folder, openai: endpoint } = definition;
  if (endpoint !== undefined)
    return { ...openAiModel(optionsOf(endpoint, variable)), traits: traitsOf(endpoint), definition, location: endpoint.baseUrl };
  if (folder === undefined) throw new InvalidValue('model', 'either `onnx` (a folder) or `openai` (an endpoint)', definition);
  // Imported on first use: an installation may have endpoints only.
  const { describeOnnxModel, onnxTextWindow, openOnnxEmbeddings } = await import('@palimpsest/adapters-onnx');
  return {
    ...(await describeOnnxModel({ folder })),
    open: () => openOnnxEmbeddings({ folder, threads }),
    window: () => onnxTextWindow({ folder }),
    definition,
    location: folder,
  };
};

/** @throws InvalidValue if the variable of the key is not set */
const optionsOf = ({ apiKeyVariable, timeoutMs, retries, ...rest }: EndpointDefinition, variable: ModelOptions['variable']) => {
  // An endpoint without keys accepts any.
  const apiKey = apiKeyVariable === undefined ? 'none' : variable(apiKeyVariable);
  if (apiKey === undefined || apiKey === '')
    throw new InvalidValue('openai.apiKeyVariable', 'an environment variable that is set in this process', apiKeyVariable);
  return {
    ...rest,
    apiKey,
    // Batches are formed before, and each is one request.
    maxBatch: 2_048,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retries === undefined ? {} : { retry: { retries } }),
  };
};

const traitsOf = ({ queryPrefix, passagePrefix }: EndpointDefinition): ModelTraits => ({
  ...(queryPrefix === undefined ? {} : { queryPrefix }),
  ...(passagePrefix === undefined ? {} : { passagePrefix }),
});
