import { Conflict, Forbidden, NotFound, RateLimited, Unavailable, type KnowledgeError } from '@palimpsest/knowledge/errors';

export type Refused = Readonly<{ status: number; headers: Headers }>;

const WAIT_SECONDS = 60;

/** What a response of the hub other than success means, in words. `path`: the file that was requested, if any. */
export const refusalOf = ({ status, headers }: Refused, repository: string, revision: string, path?: string): KnowledgeError => {
  const code = headers.get('x-error-code') ?? '';
  const said = messageOf(headers);
  if (status === 401 || status === 403 || code === 'GatedRepo')
    return new Forbidden(
      code === 'GatedRepo'
        ? `${repository} is gated: accept its terms on its page in a browser, and set HF_TOKEN to a token of that account${said}`
        : `the hub does not give access to ${repository} (status ${status}): check the name; for a private or gated repository, set HF_TOKEN to a token with access${said}`,
    );
  if (status === 404 && path !== undefined) return new NotFound(`file of ${repository}@${revision}`, path);
  if (status === 404)
    return code === 'RevisionNotFound' ? new NotFound(`revision of ${repository}`, revision) : new NotFound('repository', repository);
  if (status === 429) return new RateLimited(`the hub limits the rate of requests (status 429); try again later${said}`, WAIT_SECONDS);
  if (status >= 500) return new Unavailable(`the hub failed (status ${status})${said}`);
  return new Conflict(`the hub refused ${path ?? repository} (status ${status})${said}`);
};

/** The hub's own words, which may contain anything: one short line without control characters. */
const messageOf = (headers: Headers): string => {
  const said = (headers.get('x-error-message') ?? '').replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim();
  return said === '' ? '' : `: ${said.slice(0, 200)}`;
};
