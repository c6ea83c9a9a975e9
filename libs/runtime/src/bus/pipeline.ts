import { assertVisible, permittedScope, requireAnyLabels, requireRole } from '@palimpsest/knowledge/access';
import type { Access } from '@palimpsest/knowledge/access';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { AnyMessageClass, Handler, Message } from '@palimpsest/knowledge/messages';

type AnyMessage = Message<unknown, unknown>;

/**
 * What happens around every use case, in this order: the caller's role, whether its key may be limited to labels, its rate limit, the scopes that the message names, the use case,
 * and whether the caller may see the result. The caller was authenticated before: a message contains its access.
 * @throws Forbidden, RateLimited, NotFound (scope), IsolationBreach, and the errors of the use case
 */
export const pipeline =
  (quotas: Pick<QuotaPolicy, 'request'>) =>
  ({ message, run }: Handler) =>
  async (sent: AnyMessage): Promise<unknown> => {
    requireRoles(message, sent);
    await countRequest(quotas, message, sent);
    requireScopes(message, sent);
    const result = await run(sent as never);
    requireVisible(message, sent.access, result);
    return result;
  };

const requireRoles = ({ operation, checks }: AnyMessageClass, { access, input }: AnyMessage): void => {
  if (operation.role !== undefined) requireRole(access, operation.role, operation.orRole);
  const further = checks.role?.(input as never, access);
  if (further !== undefined) requireRole(access, further);
  if (operation.limitedByLabels !== true) requireAnyLabels(access);
};

const countRequest = async (
  quotas: Pick<QuotaPolicy, 'request'>,
  { operation: { rate } }: AnyMessageClass,
  { access, internal }: AnyMessage,
): Promise<void> => {
  if (rate !== undefined && !internal) await quotas.request(access, rate);
};

const requireScopes = ({ checks }: AnyMessageClass, { access, input }: AnyMessage): void => {
  for (const scope of checks.scopes?.(input as never) ?? []) permittedScope(access, scope);
};

const requireVisible = ({ checks }: AnyMessageClass, access: Access, result: unknown): void => {
  for (const row of checks.shows?.(result as never) ?? []) assertVisible(access, row);
};
