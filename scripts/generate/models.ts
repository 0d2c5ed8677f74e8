import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { openApiKinds, type Kind, type Subresource } from "../../src/kubernetes/meta/kinds.ts"

/**
 * Reads the model classes that the Kubernetes project generates from its OpenAPI document for its JavaScript client:
 * the fields of all types, and their comments.
 */
export interface Attribute {
  /** In JavaScript, where some words are reserved. */
  readonly name: string
  readonly baseName: string
  readonly type: string
  readonly format: string
}

interface ModelText {
  readonly description: string | undefined
  /** By the name in JavaScript. */
  readonly fields: ReadonlyMap<string, FieldText>
}

interface FieldText {
  readonly description: string | undefined
  readonly isRequired: boolean
}

const models = join(
  dirname(createRequire(import.meta.url).resolve("@kubernetes/client-node/package.json")),
  "dist/gen/models"
)

export const modelNames: ReadonlySet<string> = new Set(
  readdirSync(models)
    .filter((file) => file.endsWith(".js"))
    .map((file) => file.slice(0, -".js".length))
)

export const attributesOf = async (model: string): Promise<ReadonlyArray<Attribute>> => {
  const module: Record<string, { readonly getAttributeTypeMap: () => ReadonlyArray<Attribute> }> =
    await import(pathToFileURL(join(models, `${model}.js`)).href)
  const found = module[model]
  if (found === undefined) throw new Error(`${model}.js does not export ${model}`)
  return found.getAttributeTypeMap()
}

/** The model of a kind, or of another type by group, version and name. */
export const modelOf = ({
  group,
  version,
  kind
}: {
  readonly group: string
  readonly version: string
  readonly kind: string
}): string => {
  const prefix = group === "" ? "Core" : capital((group.split(".")[0] ?? "").toLowerCase())
  const name = `${version.toUpperCase()}${kind}`
  const found = [`${prefix}${name}`, name].find((candidate) => modelNames.has(candidate))
  if (found === undefined) throw new Error(`no model for ${kind} of ${group}/${version}`)
  return found
}

export const listModelOf = (kind: Kind): string | undefined =>
  kind.verbs.includes("list") ? modelOf({ ...kind, kind: `${kind.kind}List` }) : undefined

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

/** The types of bodies that are not kinds of their own: `Scale`, `Eviction`. */
export const bodyTypes: ReadonlyArray<Subresource> = [
  ...new Map(
    openApiKinds.flatMap(({ subresources }) => subresources.map((it) => [modelOf(it), it] as const))
  ).values()
].filter((type) => !openApiKinds.some((kind) => modelOf(kind) === modelOf(type)))

export const bodyModels: ReadonlyArray<string> = bodyTypes.map(modelOf)

export const textOf = (model: string): ModelText => {
  const text = readFileSync(join(models, `${model}.d.ts`), "utf8")
  const head = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export declare class /.exec(text)
  const fields = new Map<string, FieldText>()
  const property = /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?^ {4}'([^']+)'(\??): /gm
  for (const [, comment, name = "", optional] of text.matchAll(property)) {
    fields.set(name, { description: sentenceOf(comment), isRequired: optional === "" })
  }
  return { description: sentenceOf(head?.[1]), fields }
}

/** Without the stars of the comment and the generator's escapes. */
export const sentenceOf = (comment: string | undefined): string | undefined => {
  const words = (comment ?? "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .trim()
    .replaceAll(/\\(['"])/g, "$1")
    .replaceAll("*_/", "*/")
  return words === "" ? undefined : words
}
