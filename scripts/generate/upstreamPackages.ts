import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { modelNames, sentenceOf, textOf } from "./models.ts"

/**
 * The Kubernetes package that declares a type, with which the type's OpenAPI name begins, and descriptions of fields
 * with struct types, which the models lack. Both are read from `kubernetes-types`, which has a folder per group and a
 * file per version.
 */
export interface Package {
  /** `apps`, `core`, `meta`. */
  readonly group: string
  readonly version: string
}

const root = dirname(createRequire(import.meta.url).resolve("kubernetes-types/package.json"))
const groups = readdirSync(root).filter((name) => existsSync(join(root, name, "v1.d.ts")))

interface Declaration {
  /** Descriptions by field. */
  readonly fields: ReadonlyMap<string, string>
}

const declarationsOf = (path: string): ReadonlyMap<string, Declaration> => {
  if (!existsSync(path)) return new Map()
  const found = new Map<string, Declaration>()
  const declaration = /^export interface (\w+) \{([^]*?)^\}/gm
  for (const [, name = "", text = ""] of readFileSync(path, "utf8").matchAll(declaration)) {
    const property = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:readonly )?"?([\w$-]+)"?\??:/g
    const fields = new Map<string, string>()
    for (const [, comment, field = ""] of text.matchAll(property)) {
      const sentence = sentenceOf(comment)
      if (sentence !== undefined) fields.set(field, sentence)
    }
    found.set(name, { fields })
  }
  return found
}

const files = new Map<string, ReadonlyMap<string, Declaration>>()
const declarationsIn = ({ group, version }: Package): ReadonlyMap<string, Declaration> => {
  const key = `${group}/${version}`
  const known = files.get(key) ?? declarationsOf(join(root, group, `${version}.d.ts`))
  files.set(key, known)
  return known
}

interface ModelName extends Package {
  readonly name: string
}

/** `V1PodSpec`, `V2MetricSpec`, `CoreV1Event`: the group if the name is not unique, the version, the name. */
const readName = (model: string): ModelName => {
  const [, prefix = "", version = "", name = ""] = /^([A-Z][a-z]+)??(V\d+)([A-Z].*)$/.exec(model) ?? []
  if (name === "") throw new Error(`${model} is no name of a model`)
  return { group: prefix.toLowerCase(), version: version.toLowerCase(), name }
}

export const nameOf = (model: string): string => readName(model).name

/** Upstream types that are newer than the declarations read here. */
const laterMetaTypes: ReadonlySet<string> = new Set(["FieldSelectorRequirement", "ShardInfo"])

/** A model that is too new for the declarations, or that several packages declare, is in the package of its user. */
export const packageOf = (model: string, user: Package): Package => {
  const { group, version, name } = readName(model)
  if (group !== "") return { group, version }
  if (laterMetaTypes.has(name)) return { group: "meta", version }
  const declaring = groups
    .map((candidate) => ({ group: candidate, version }))
    .filter((candidate) => declarationsIn(candidate).has(name))
  const [only, second] = declaring
  if (only !== undefined && second === undefined) return only
  const inGroupOfUser = declaring.find((candidate) => candidate.group === user.group)
  if (inGroupOfUser !== undefined) return inGroupOfUser
  return declaring.find((candidate) => candidate.group === "meta") ?? { group: user.group, version }
}

/**
 * What a field is for, where the models do not say it. A type that is newer than the declarations may be declared in
 * an earlier version of its group; if not, its fields are described as their types are.
 */
export const descriptionOf = (
  model: string,
  { field, type }: { readonly field: string; readonly type: string },
  home: Package
): string | undefined => {
  const name = nameOf(model)
  const own = declarationsIn(home).get(name)
  if (own !== undefined) return withoutStage(own.fields.get(field))
  const earlier = earlierVersions
    .map((version) =>
      declarationsIn({ ...home, version })
        .get(name)
        ?.fields.get(field)
    )
    .find((description) => description !== undefined)
  return withoutStage(earlier) ?? (modelNames.has(type) ? textOf(type).description : undefined)
}

/** The declarations are of an earlier release: what they say of alpha, beta and gates does not hold of this one. */
const withoutStage = (description: string | undefined): string | undefined =>
  description
    ?.split(/(?<=\.\s+|\n)(?=\S)/u)
    .filter((sentence) => !stage.test(sentence))
    .join("")
    .trim()

const stage =
  /\b(?:alpha|beta)[- ](?:level|field|feature)\b|\bfeature (?:gate|toggle|flag)\b|^This is on by default/u

const earlierVersions = ["v1beta1", "v1alpha2", "v1alpha1"]
