/** A request that Qdrant refuses, with its status. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const wrongInput = (message) => new Refusal(400, `Wrong input: ${message}`);
export const badFormat = (message) => new Refusal(400, `Format error in JSON body: ${message}`);
export const invalid = (message) => new Refusal(422, `Validation error in JSON body: [${message}]`);
export const noCollection = (name) => new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`);

/** Refuses unknown fields, so that this server never silently ignores what the real one would apply. */
export const onlyFields = (body, where, known) => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badFormat(`${where}: expected an object`);
  for (const key of Object.keys(body))
    if (!known.includes(key)) throw badFormat(`${where}: unknown field \`${key}\` (to this test server)`);
  return body;
};

export const isSet = (value) => value !== undefined && value !== null;
