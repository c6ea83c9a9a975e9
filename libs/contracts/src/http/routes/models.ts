import { z } from 'zod';
import { modelDefinition } from '../../schemas/model-schemas.ts';
import { wire } from '../../schemas/values.ts';
import { json, route } from '../route.ts';
import { modelList, modelTest, modelView } from '../views/models.ts';

const params = z.object({ id: wire.modelId });

export const listModels = route({
  id: 'Models.list',
  method: 'get',
  path: '/v1/models',
  service: 'reembedding',
  tag: 'Models',
  summary: 'List the embedding models of the installation',
  description: 'Every key sees ids and versions. Only an operator sees limits, prices, addresses and problems.',
  status: 200,
  response: modelList,
});

export const addModel = route({
  id: 'Models.add',
  method: 'post',
  path: '/v1/models',
  service: 'reembedding',
  tag: 'Models',
  summary: 'Make an embedding model available; operators only',
  description:
    'Adds either the folder of an ONNX model, below one of the folders for models of the installation, or an OpenAI-compatible endpoint. Processes of the installation see it within moments. Texts of scopes that use the model are sent to the endpoint. A key is given by the name of an environment variable that starts with `MODEL_API_KEY`, which must be set in every process. The model is not called; use `POST /v1/models/{id}/test`.',
  role: 'operator',
  administration: true,
  body: json(modelDefinition),
  status: 201,
  response: modelView,
  problems: ['Conflict'],
  example: {
    body: {
      'application/json': {
        openai: { baseUrl: 'http://127.0.0.1:1/v1', model: 'bge-m3', dimensions: 1024, provider: 'local' },
        limits: { batchSize: 32, requestsPerMinute: 600 },
        pricePerMillionTokens: 0.02,
      },
    },
  },
});

export const removeModel = route({
  id: 'Models.remove',
  method: 'delete',
  path: '/v1/models/{id}',
  service: 'reembedding',
  tag: 'Models',
  summary: 'Make an embedding model unavailable; operators only',
  description:
    'Refused with 409 while a scope has a generation of the model, and for models that operators did not add. Calls of the model that are running finish.',
  role: 'operator',
  administration: true,
  params,
  status: 204,
  problems: ['Conflict'],
  example: { parameters: { id: 'local_bge-m3_1024' } },
});

export const testModel = route({
  id: 'Models.test',
  method: 'post',
  path: '/v1/models/{id}/test',
  service: 'reembedding',
  tag: 'Models',
  summary: 'Embed a few fixed sentences with a model, and report speed and digest; operators only',
  description:
    'Uses no cache. Takes 60 seconds at most. 409 `EmbeddingModelMismatch` if the vectors have other dimensions than declared; 503 `Unavailable` if the model cannot be loaded or its endpoint cannot be reached.',
  role: 'operator',
  administration: true,
  params,
  status: 200,
  response: modelTest,
  problems: ['Conflict', 'EmbeddingModelMismatch', 'Unavailable'],
  example: { parameters: { id: 'onnx_all-minilm-l6-v2-int8_384' } },
});
