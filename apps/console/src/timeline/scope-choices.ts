import type { CallerView, KnowledgeBaseView } from '@palimpsest/client';
import { scopesFor } from '../knowledge-bases/scopes.ts';

type Sources = Readonly<{
  caller: Pick<CallerView, 'teams' | 'user'>;
  knowledgeBases: readonly Pick<KnowledgeBaseView, 'scope'>[];
  /** That of the address, which may be one that the caller cannot read. */
  chosen: string;
}>;

/** The scopes that the key names, and those of the knowledge bases that it reads. */
export const scopeChoices = ({ caller, knowledgeBases, chosen }: Sources): readonly string[] => {
  const own = scopesFor(caller).map(({ scope }) => scope);
  const others = [...knowledgeBases.map(({ scope }) => scope), chosen].filter((scope) => !own.includes(scope));
  return [...own, ...new Set(others.sort())];
};
