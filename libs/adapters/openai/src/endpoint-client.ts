import OpenAI from 'openai';

export type EndpointAddress = Readonly<{ apiKey: string; baseUrl: string; timeoutMs: number }>;

/** All options are set explicitly, so that no `OPENAI_*` variable of the environment decides where texts are sent. */
export const endpointClient = ({ apiKey, baseUrl, timeoutMs }: EndpointAddress, fetch?: typeof globalThis.fetch): OpenAI =>
  new OpenAI({
    apiKey,
    baseURL: baseUrl,
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    ...(fetch === undefined ? {} : { fetch }),
  });
