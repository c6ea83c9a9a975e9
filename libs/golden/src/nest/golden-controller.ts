import { Readable } from 'node:stream';
import { Controller, Inject } from '@nestjs/common';
import { exportGoldenSet, getGoldenSet, importGoldenSet, listGoldenSets, removeGoldenSet } from '@palimpsest/contracts/routes/golden';
import { Route, type Call } from '@palimpsest/http';
import { Buses } from '@palimpsest/runtime';
import { ExportGoldenSet, GetGoldenSet, ImportGoldenSet, ListGoldenSets, RemoveGoldenSet } from '../golden-sets.ts';

@Controller()
export class GoldenController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(listGoldenSets)
  async list({ caller, params }: Call<typeof listGoldenSets>) {
    return { sets: await this.#buses.execute(new ListGoldenSets(caller, params)) };
  }

  @Route(getGoldenSet)
  get({ caller, params, query }: Call<typeof getGoldenSet>) {
    return this.#buses.execute(new GetGoldenSet(caller, { ...params, ...query }));
  }

  @Route(exportGoldenSet)
  async export({ caller, params, reply }: Call<typeof exportGoldenSet>): Promise<void> {
    const lines = await this.#buses.execute(new ExportGoldenSet(caller, params));
    const body = Readable.from(textOf(lines), { objectMode: false });
    // The use case reports it.
    body.once('error', () => undefined);
    await reply.type(exportGoldenSet.stream).send(body);
  }

  @Route(importGoldenSet)
  import({ caller, params, query, headers, body }: Call<typeof importGoldenSet>) {
    return this.#buses.execute(new ImportGoldenSet(caller, { ...params, ...query, ...expectedOf(headers), lines: body }));
  }

  @Route(removeGoldenSet)
  async remove({ caller, params, headers }: Call<typeof removeGoldenSet>): Promise<void> {
    await this.#buses.execute(new RemoveGoldenSet(caller, { ...params, ...expectedOf(headers) }));
  }
}

const expectedOf = ({ 'If-Match': expected }: Readonly<{ 'If-Match'?: number | undefined }>) =>
  expected === undefined ? {} : { expected };

async function* textOf(lines: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
}
