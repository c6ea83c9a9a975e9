import type { Journal } from '@palimpsest/contracts';
import type { ModelView } from '@palimpsest/contracts/http';
import { addModel, listModels, removeModel } from '@palimpsest/contracts/routes/models';
import { authorise, hasRole, type Access } from '@palimpsest/knowledge/access';
import { models as decider, modelsStream } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type Message, type UseCase } from '@palimpsest/knowledge/messages';
import type { ModelRegistry, RegisteredModel } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import { modelIdOf, type ModelDefinition, type ModelId } from '@palimpsest/knowledge/models';
import { DEFAULT_TENANT, embeddingVersionParts, type EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { AddedModel, AddedModels } from './added-models.ts';

export class ListModels extends query<void, readonly ModelView[]>(listModels, NO_ROWS) {}
export class AddModel extends command<ModelDefinition, ModelView>(addModel) {}
/** `input`: the id of the model. */
export class RemoveModel extends command<ModelId, void>(removeModel) {}

type Parts = Readonly<{
  journal: Journal;
  catalog: Pick<Catalog, 'scopes'>;
  providers: ModelRegistry;
  added: Pick<AddedModels, 'list' | 'reached'>;
  now: () => string;
}>;

/** Lists, adds and removes the models of the installation. */
export class ManageModels implements UseCase {
  readonly handlers = [
    on(ListModels, ({ access }) => this.#list(access)),
    on(AddModel, (message) => this.#add(message)),
    on(RemoveModel, (message) => this.#remove(message)),
  ];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  #list(access: Access): readonly ModelView[] {
    const { providers, added } = this.#parts;
    const available = providers.models();
    const unavailable = added.list().filter(({ problem, id }) => problem !== undefined && !available.some((model) => model.id === id));
    const operator = hasRole(access, 'operator');
    return [...available.map((model) => this.#available(model, operator)), ...unavailable.map((model) => unavailableView(model, operator))];
  }

  #available({ id, version, changed, ...forOperators }: RegisteredModel, operator: boolean): ModelView {
    const { dimensions } = embeddingVersionParts(version);
    const current = version === this.#parts.providers.current.version;
    const problem = changed === undefined ? {} : { problem: changed };
    return { id, version, dimensions, current, available: changed === undefined, ...(operator ? { ...forOperators, ...problem } : {}) };
  }

  /** @throws InvalidValue naming the field; Conflict if there is a model of this version */
  async #add({ access, correlationId, input }: Message<ModelDefinition, ModelView>): Promise<ModelView> {
    const { journal, providers, added, now } = this.#parts;
    const version = await providers.check(input);
    const model = modelIdOf(version);
    const same = providers.models().find(({ id }) => id === model);
    if (same !== undefined) throw new Conflict(`the model ${same.version} is already available (origin: ${same.origin})`);
    const { position } = await journal.execute(
      decider,
      modelsStream(),
      { type: 'AddModel', model: { model, version, definition: input }, now: now() },
      { tenant: DEFAULT_TENANT, actor: access.actor, correlationId },
    );
    await added.reached(position);
    const view = this.#list(access).find(({ id }) => id === model);
    // Another operator removed it in the meantime.
    if (view === undefined) throw new NotFound('model', model);
    return view;
  }

  /** @throws NotFound; Conflict while a scope has a generation of the model, or if no operator added it */
  async #remove({ access, correlationId, input: model }: Message<ModelId, void>): Promise<void> {
    const { journal, providers, added, now } = this.#parts;
    const declared = providers.models().find(({ id }) => id === model);
    if (declared !== undefined && declared.origin !== 'operator')
      throw new Conflict(
        `the model ${declared.version} is declared by the installation (origin: ${declared.origin}); remove it there and restart`,
      );
    const version = declared?.version ?? added.list().find(({ id }) => id === model)?.version;
    if (version === undefined) throw new NotFound('model', model);
    await this.#refuseUsed(access, version);
    const { position } = await journal.execute(
      decider,
      modelsStream(),
      { type: 'RemoveModel', model, now: now() },
      { tenant: DEFAULT_TENANT, actor: access.actor, correlationId },
    );
    await added.reached(position);
  }

  /** Names the scopes that the caller may read; of all others, it says only how many there are. @throws Conflict */
  async #refuseUsed(access: Access, version: EmbeddingVersion): Promise<void> {
    const using = (await this.#parts.catalog.scopes())
      .filter(({ generations }) => generations.some(({ embeddingVersion, status }) => embeddingVersion === version && status !== 'retired'))
      .map(({ scope }) => scope);
    if (using.length === 0) return;
    const own = using.filter(({ tenant }) => tenant === access.tenant).map(({ scope }) => scope);
    const named = authorise(access, own).map(({ scope }) => scope);
    const others = using.length - named.length;
    const parts = [...named, ...(others === 0 ? [] : [`${others} that this key may not read`])];
    throw new Conflict(
      `the model ${version} has generations in ${using.length} scopes: ${parts.join(', ')}. Re-embed and retire them first`,
    );
  }
}

const unavailableView = ({ id, version, problem = '' }: AddedModel, operator: boolean): ModelView => ({
  id,
  version,
  dimensions: embeddingVersionParts(version).dimensions,
  current: false,
  available: false,
  ...(operator ? { origin: 'operator' as const, problem } : {}),
});
