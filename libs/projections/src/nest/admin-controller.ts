import { Controller, Inject } from '@nestjs/common';
import { rebuildReadModels, verifyReadModels } from '@palimpsest/contracts/http';
import { Route } from '@palimpsest/runtime';
import { RebuildReadModels } from '../rebuild-read-models.ts';
import { VerifyReadModels } from '../verify-read-models.ts';

/** Maximum number of differences in a response; `differenceCount` is always complete. */
const MAX_LISTED = 1_000;

@Controller()
export class AdminController {
  readonly #rebuild: RebuildReadModels;
  readonly #verify: VerifyReadModels;

  constructor(@Inject(RebuildReadModels) rebuild: RebuildReadModels, @Inject(VerifyReadModels) verify: VerifyReadModels) {
    this.#rebuild = rebuild;
    this.#verify = verify;
  }

  @Route(rebuildReadModels)
  async rebuild() {
    const { position, ...rebuilt } = await this.#rebuild.run();
    return { ...rebuilt, position: String(position) };
  }

  @Route(verifyReadModels)
  async verify() {
    const { position, differences, ...verified } = await this.#verify.run();
    return { ...verified, position: String(position), differenceCount: differences.length, differences: differences.slice(0, MAX_LISTED) };
  }
}
