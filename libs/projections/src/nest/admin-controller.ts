import { Controller, Inject } from '@nestjs/common';
import { cancelRebuild, getRebuild, pauseRebuild, rebuildReadModels, resumeRebuild } from '@palimpsest/contracts/routes/rebuild';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { CancelRebuild, GetRebuild, PauseRebuild, Rebuild, ResumeRebuild } from '../administer-read-models.ts';
import type { RebuildStatus, Rebuilt } from '../rebuilds/rebuild-run.ts';

@Controller()
export class AdminController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(rebuildReadModels)
  async rebuild({ caller, body }: Call<typeof rebuildReadModels>) {
    return resultView(await this.#buses.execute(new Rebuild(caller, body)));
  }

  @Route(getRebuild)
  async getRebuild({ caller }: Call<typeof getRebuild>) {
    const status = await this.#buses.execute(new GetRebuild(caller));
    return status === undefined ? { state: 'none' as const } : statusView(status);
  }

  @Route(pauseRebuild)
  async pauseRebuild({ caller }: Call<typeof pauseRebuild>) {
    return statusView(await this.#buses.execute(new PauseRebuild(caller)));
  }

  @Route(resumeRebuild)
  async resumeRebuild({ caller }: Call<typeof resumeRebuild>) {
    return statusView(await this.#buses.execute(new ResumeRebuild(caller)));
  }

  @Route(cancelRebuild)
  async cancelRebuild({ caller }: Call<typeof cancelRebuild>) {
    return statusView(await this.#buses.execute(new CancelRebuild(caller)));
  }
}

const resultView = ({ position, ...rebuilt }: Rebuilt) => ({ ...rebuilt, position: String(position) });

const statusView = ({ result, ...status }: RebuildStatus) => ({
  ...status,
  ...(result === undefined ? {} : { result: resultView(result) }),
});
