import { type CallerView } from '@palimpsest/contracts/http';
import { getCaller } from '@palimpsest/contracts/routes/api-keys';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';

/** Permissions of the API key in use, so that a client can offer only permitted actions. */
export class GetCaller extends query<void, CallerView>(getCaller, NO_ROWS) {}

export const describeCaller: UseCase = {
  handlers: [
    on(GetCaller, ({ access: { tenant, teams, user, roles, requiredLabels } }) => ({
      tenant,
      teams,
      roles,
      ...(user === undefined ? {} : { user }),
      ...(requiredLabels === undefined ? {} : { requiredLabels }),
    })),
  ],
};
