import type { NewModel } from '@palimpsest/client';

/** What the form holds: every field is a text, as it was typed. */
export type ModelDraft = Readonly<{
  source: 'openai' | 'onnx';
  folder: string;
  baseUrl: string;
  model: string;
  dimensions: string;
  apiKeyVariable: string;
  queryPrefix: string;
  passagePrefix: string;
  requestsPerMinute: string;
  price: string;
}>;

export const EMPTY_MODEL: ModelDraft = {
  source: 'openai',
  folder: '',
  baseUrl: '',
  model: '',
  dimensions: '',
  apiKeyVariable: '',
  queryPrefix: '',
  passagePrefix: '',
  requestsPerMinute: '',
  price: '',
};

const given = <Name extends string, Value>(name: Name, text: string, value: Value): Partial<Record<Name, Value>> =>
  (text.trim() === '' ? {} : { [name]: value }) as Partial<Record<Name, Value>>;

/** The request. Empty fields are left out; the server checks the others. Prefixes keep their blanks, which belong to them. */
export const newModelOf = (draft: ModelDraft): NewModel => {
  const { source, folder, baseUrl, model, dimensions, apiKeyVariable, queryPrefix, passagePrefix, requestsPerMinute, price } = draft;
  const shared = {
    ...given('limits', requestsPerMinute, { requestsPerMinute: Number(requestsPerMinute) }),
    ...given('pricePerMillionTokens', price, Number(price)),
  };
  if (source === 'onnx') return { onnx: folder.trim(), ...shared };
  const openai = {
    baseUrl: baseUrl.trim(),
    model: model.trim(),
    dimensions: Number(dimensions),
    ...given('apiKeyVariable', apiKeyVariable, apiKeyVariable.trim()),
    ...given('queryPrefix', queryPrefix, queryPrefix),
    ...given('passagePrefix', passagePrefix, passagePrefix),
  };
  return { openai, ...shared };
};
