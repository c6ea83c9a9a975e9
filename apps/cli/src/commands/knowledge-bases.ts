import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError, REQUEST_LIMITS, type NewKnowledgeBase } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { readLines } from '../evaluation/text-lines.ts';
import { label, wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';
import { asOfOption, noteMoment, type AsOfOption } from './as-of.ts';

type Settings = Readonly<{
  name?: string;
  description?: string;
  language?: string;
  historyDays?: number;
  field?: Readonly<Record<string, string>>;
  /** False with `--no-synonyms`. */
  synonyms?: string | boolean;
}>;
/** `fields`: false with `--no-fields`. */
type ConfigureOptions = Settings & Readonly<{ fields: boolean }>;
type CreateOptions = Settings & Readonly<{ scope?: string }>;

const ASK_EVERY_MS = 500;

const HISTORY = 'remove what was replaced or deleted from the log after this many days (administrators only)';
const FIELD =
  'type by which filters compare a label or metadata, such as label.year=number; keyword, keywords (a list), number, date or boolean';
const SYNONYMS =
  'synonyms from this file, a rule per line, such as "sso, single sign-on" or "k8s => kubernetes"; lines that begin with # are comments';
const LANGUAGE = 'language of documents whose language is unknown, such as en or de';

export const addKnowledgeBases: AddCommand = (program, asAction) => {
  const knowledgeBases = program.command('knowledge-bases').alias('kb').description('Manage knowledge bases.');
  knowledgeBases.command('list', { isDefault: true }).description('List knowledge bases.').addOption(asOfOption()).action(asAction(list));
  knowledgeBases
    .command('create')
    .description('Create a knowledge base.')
    .argument('<id>', 'lowercase letters, digits, "-", "_", "."')
    .option('--name <text>', 'display name')
    .option('--description <text>', 'description')
    .option('--scope <scope>', 'who may read it: deployment, platform, team:<id>, user:<id>')
    .option('--language <tag>', LANGUAGE)
    .option('--history-days <number>', HISTORY, wholeNumber(0, REQUEST_LIMITS.historyDays))
    .option('--field <name=type>', `${FIELD}; may be repeated`, label)
    .option('--synonyms <file>', SYNONYMS)
    .action(asAction(create));
  knowledgeBases
    .command('configure')
    .description('Change the given settings of a knowledge base. The others do not change.')
    .argument('<id>')
    .option('--name <text>', 'display name')
    .option('--description <text>', 'description')
    .option('--language <tag>', `${LANGUAGE}; "und" for none`)
    .option('--history-days <number>', `${HISTORY}; 0 to keep it`, wholeNumber(0, REQUEST_LIMITS.historyDays))
    .option('--field <name=type>', `${FIELD}; may be repeated, and replaces all fields`, label)
    .option('--no-fields', 'declare no fields')
    .option('--synonyms <file>', `${SYNONYMS}; they replace all synonyms`)
    .option('--no-synonyms', 'remove all synonyms')
    .action(asAction(configure));
  knowledgeBases
    .command('pause')
    .description('Stop accepting documents, and hold back queued ones, until it is resumed.')
    .argument('<id>')
    .action(asAction(pause));
  knowledgeBases
    .command('resume')
    .description('Accept documents again, and process those that were held back.')
    .argument('<id>')
    .action(asAction(resume));
  knowledgeBases
    .command('archive')
    .description('Permanently stop accepting documents. Existing documents stay searchable.')
    .argument('<id>')
    .action(asAction(archive));
  knowledgeBases
    .command('delete')
    .description('Delete a knowledge base with all its documents. It cannot be undone, and its id cannot be used again.')
    .argument('<id>')
    .requiredOption('--confirm <id>', 'its id, again')
    .option('--no-wait', 'return when the deletion is recorded, before the documents are deleted')
    .action(asAction(remove));
};

const list = async (session: Session, { asOf }: AsOfOption): Promise<number> => {
  const { output, signal } = session;
  const found = await session.connect().knowledgeBases.listAt({ asOf, signal });
  const { knowledgeBases } = found;
  output.result(found, () => {
    noteMoment(output, found.asOf);
    return knowledgeBases.length === 0
      ? output.line('no knowledge bases')
      : output.table(
          ['id', 'scope', 'status', 'documents', 'name'],
          knowledgeBases.map(({ id, scope, status, documents, name }) => [id, scope, status, documents, name]),
        );
  });
  return EXIT.ok;
};

const create = async (session: Session, options: CreateOptions, id: string): Promise<number> => {
  const { output, signal, cwd } = session;
  const { name, description, scope, language, historyDays, field, synonyms } = options;
  const settings = {
    id,
    name,
    description,
    scope,
    language,
    ...daysOf(historyDays),
    ...fieldsOf(field),
    ...(await synonymsOf(cwd, synonyms)),
  };
  const created = await session.connect().knowledgeBases.create(settings, { signal });
  output.result(created, () => output.line(`created ${created.id} in ${created.scope}`));
  return EXIT.ok;
};

const configure = async (session: Session, options: ConfigureOptions, id: string): Promise<number> => {
  const { output, signal, cwd } = session;
  const { name, description, language, historyDays, field, fields: keeps, synonyms } = options;
  if (field !== undefined && !keeps) throw new UsageError('--field and --no-fields exclude each other');
  const change = {
    ...{ name, description, language, ...daysOf(historyDays) },
    ...(keeps ? fieldsOf(field) : { fields: null }),
    ...(await synonymsOf(cwd, synonyms)),
  };
  const configured = await session.connect().knowledgeBases.update(id, change, { signal });
  output.result(configured, () => output.line(`configured ${id}`));
  return EXIT.ok;
};

/** The server refuses other types. */
const fieldsOf = (types: Readonly<Record<string, string>> | undefined) =>
  types === undefined ? {} : { fields: types as NonNullable<NewKnowledgeBase['fields']> };

/** True if the option is not given: commander knows `--no-synonyms`. */
const synonymsOf = async (cwd: string, file: string | boolean = true): Promise<Readonly<{ synonyms?: readonly string[] | null }>> => {
  if (typeof file !== 'string') return file ? {} : { synonyms: null };
  const lines = (await readLines(resolve(cwd, file), file)).map(({ text }) => text.trim());
  return { synonyms: lines.filter((line) => !line.startsWith('#')) };
};

/** 0 days: it is kept. */
const daysOf = (days: number | undefined) => (days === undefined ? {} : { historyDays: days === 0 ? null : days });

const pause = async (session: Session, _options: unknown, id: string): Promise<number> => {
  const { output, signal } = session;
  const paused = await session.connect().knowledgeBases.pause(id, { signal });
  output.result(paused, () => output.line(`paused ${id}; \`palimpsest knowledge-bases resume ${id}\` resumes it`));
  return EXIT.ok;
};

const resume = async (session: Session, _options: unknown, id: string): Promise<number> => {
  const { output, signal } = session;
  const resumed = await session.connect().knowledgeBases.resume(id, { signal });
  output.result(resumed, () => output.line(`resumed ${id}`));
  return EXIT.ok;
};

const archive = async (session: Session, _options: unknown, id: string): Promise<number> => {
  const { output, signal } = session;
  const archived = await session.connect().knowledgeBases.archive(id, { signal });
  output.result(archived, () => output.line(`archived ${id}`));
  return EXIT.ok;
};

const remove = async (session: Session, { confirm, wait }: Readonly<{ confirm: string; wait: boolean }>, id: string): Promise<number> => {
  const { output, signal } = session;
  if (confirm !== id) throw new UsageError(`--confirm must be ${id}`);
  const { knowledgeBases } = session.connect();
  const deleting = await knowledgeBases.remove(id, { signal });
  if (wait) await untilGone(() => knowledgeBases.get(id, { signal }), signal);
  output.result(deleting, () => output.line(wait ? `deleted ${id} with its documents` : `deleting ${id}`));
  return EXIT.ok;
};

const untilGone = async (get: () => Promise<unknown>, signal: AbortSignal | undefined): Promise<void> => {
  try {
    for (;;) {
      await get();
      await sleep(ASK_EVERY_MS, undefined, { signal });
    }
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error;
  }
};
