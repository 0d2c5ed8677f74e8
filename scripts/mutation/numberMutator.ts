import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

/** The used parts of a Babel path and of Stryker's mutators. */
interface Path {
  readonly parentPath?: Path | null
  readonly node: { readonly type: string; readonly value?: unknown }
  readonly parent: { readonly type: string; readonly key?: unknown; readonly computed?: boolean }
}

interface Mutator {
  readonly name: string
  readonly mutate: (path: Path) => Iterable<object>
}

/** Replaces a number by its successor; Stryker leaves numbers alone. */
const numberMutator: Mutator = {
  name: "NumericLiteral",
  *mutate({ node, parent, parentPath }) {
    if (node.type !== "NumericLiteral" || typeof node.value !== "number") return
    // In a comparison only the sign counts.
    if (node.value === 1 && parent.type === "ConditionalExpression") return
    if (
      node.value === 1 &&
      parent.type === "UnaryExpression" &&
      parentPath?.parent.type === "ConditionalExpression"
    )
      return
    if (parent.type === "TSLiteralType" || parent.key === node) return
    yield { type: "NumericLiteral", value: node.value + 1 }
  }
}

/**
 * Stryker has no plugins for mutators: its list is imported by a file path that the package does not promise to keep.
 * Throws if the file or the list is missing.
 */
export const addNumberMutator = async (): Promise<void> => {
  const core = createRequire(import.meta.url).resolve("@stryker-mutator/core/package.json")
  const instrumenter = dirname(createRequire(core).resolve("@stryker-mutator/instrumenter/package.json"))
  const { allMutators } = (await import(
    pathToFileURL(join(instrumenter, "dist/src/mutators/mutate.js")).href
  )) as {
    readonly allMutators?: Array<Mutator>
  }
  if (!Array.isArray(allMutators)) throw new Error("Stryker's list of mutators has moved")
  if (!allMutators.includes(numberMutator)) allMutators.push(numberMutator)
}
