import { Controller, Inject } from '@nestjs/common';
import { eraseSubject, findSubject, getSubjectErasure, getSubjectErasureReceipt } from '@palimpsest/contracts/routes/subject-erasure';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { EraseSubject, FindSubject, GetSubjectErasure, GetSubjectErasureReceipt, type SubjectStatus } from '../manage-subject-erasures.ts';

@Controller()
export class SubjectErasureController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(findSubject)
  find({ caller, body }: Call<typeof findSubject>) {
    return this.#buses.execute(new FindSubject(caller, body));
  }

  @Route(eraseSubject)
  async erase({ caller, body }: Call<typeof eraseSubject>) {
    return viewOf(await this.#buses.execute(new EraseSubject(caller, body)));
  }

  @Route(getSubjectErasure)
  async get({ caller, params }: Call<typeof getSubjectErasure>) {
    return viewOf(await this.#buses.execute(new GetSubjectErasure(caller, params)));
  }

  @Route(getSubjectErasureReceipt)
  receipt({ caller, params }: Call<typeof getSubjectErasureReceipt>) {
    return this.#buses.execute(new GetSubjectErasureReceipt(caller, params));
  }
}

const viewOf = ({ subject, state: { receipt: _, scopes: _scopes, ...about }, position }: SubjectStatus) => ({
  subject,
  ...about,
  position: String(position),
});
