import { Controller } from '@nestjs/common';
import { getCaller } from '@palimpsest/contracts/http';
import { Route, type Call } from '../http/route.ts';

/** Permissions of the API key in use, so that a client can offer only permitted actions. */
@Controller()
export class CallerController {
  @Route(getCaller)
  me({ access: { tenant, teams, user, roles } }: Call<typeof getCaller>) {
    return { tenant, teams, roles, ...(user === undefined ? {} : { user }) };
  }
}
