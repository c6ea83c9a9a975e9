/** Type declarations from source files, read by the TypeScript compiler: name to text and comment. */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { inRoot } from '../setup/workspace.mjs';

const commentOf = (node) =>
  ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const typesIn = (file) => {
  const source = ts.createSourceFile(file, readFileSync(inRoot(file), 'utf8'), ts.ScriptTarget.Latest, true);
  return source.statements.filter(ts.isTypeAliasDeclaration).map((node) => ({
    name: node.name.text,
    comment: commentOf(node),
    text: node.getText(source).replace(/^export /, ''),
    node,
  }));
};

/** Every type alias in the files that match, by its name. */
export const declaredTypes = (...patterns) =>
  new Map(patterns.flatMap((pattern) => globSync(pattern, { cwd: inRoot() }).sort().flatMap(typesIn)).map((type) => [type.name, type]));

/**
 * The members of an object type, also inside `Readonly<…>`, intersections and other declared types.
 * Each has name, type (text), optional and comment.
 */
export const membersOf = (node, types) => {
  if (ts.isTypeLiteralNode(node))
    return node.members.filter(ts.isPropertySignature).map((member) => ({
      name: member.name.getText(),
      type: member.type.getText().replaceAll(/\s+/g, ' '),
      optional: member.questionToken !== undefined,
      comment: commentOf(member),
    }));
  if (ts.isIntersectionTypeNode(node)) return node.types.flatMap((part) => membersOf(part, types));
  if (ts.isParenthesizedTypeNode(node)) return membersOf(node.type, types);
  if (!ts.isTypeReferenceNode(node)) return [];
  const name = node.typeName.getText();
  if (name === 'Readonly') return membersOf(node.typeArguments[0], types);
  const type = types.get(name);
  return type ? membersOf(type.node.type, types) : [];
};
