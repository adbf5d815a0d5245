import ts from "typescript";
import type { SourceModule } from "../../architecture/source-module.js";

/** Declarations marked `@internal`: types that signatures use, and that nobody needs to write. As `src/is.ts:Fields`. */
export function findInternalNames(modules: readonly SourceModule[]): string[] {
  return modules.flatMap(({ path, source }) =>
    source.statements.filter(isInternal).flatMap((statement) => namesIn(statement).map((name) => `${path}:${name}`)),
  );
}

function isInternal(statement: ts.Statement): boolean {
  return ts.getJSDocTags(statement).some(({ tagName }) => tagName.text === "internal");
}

function namesIn(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const name = ts.getNameOfDeclaration(statement as ts.DeclarationStatement);
  return name === undefined ? [] : [name.getText()];
}
