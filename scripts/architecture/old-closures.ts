import ts from "typescript";
import { forEachNode, lineOf, type SourceModule } from "./source-module.js";

/**
 * Functions that are written right where they are assigned to a property, or to a field of a class.
 *
 * V8 takes such a function for one that lives long (its parser does, by the form of the assignment): as long as the code around
 * it is not optimised, each is made in the old generation, by a slow call. There it stays until the next full collection, and
 * keeps alive all that it refers to: a whole run, with what the run made. What survives like that is then taken for
 * long-lived as well, so that whole runs are made in the old generation. A bound method is made like any other object.
 */
export function findOldClosures(modules: readonly SourceModule[]): string[] {
  return modules.flatMap(({ path, source }) => {
    const found: string[] = [];
    forEachNode(source, (node) => {
      if (isFunction(assignedBy(node)))
        found.push(`${path}:${lineOf(source, node)} writes a function where it is assigned; bind a method instead`);
    });
    return found;
  });
}

function assignedBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isPropertyDeclaration(node)) return node.initializer;
  if (!ts.isBinaryExpression(node)) return undefined;
  const { left, operatorToken, right } = node;
  const isProperty = ts.isPropertyAccessExpression(left) || ts.isElementAccessExpression(left);
  return isProperty && assignments.includes(operatorToken.kind) ? right : undefined;
}

const assignments: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.EqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.AmpersandAmpersandEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
];

function isFunction(node: ts.Expression | undefined): boolean {
  if (node === undefined) return false;
  const isWrapped = ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node);
  if (isWrapped) return isFunction(node.expression);
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node);
}
