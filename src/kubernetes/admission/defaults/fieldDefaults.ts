import { isFields, type Fields } from "../../meta/fields.ts"

/**
 * `[]` after a field stands for each element of its list. Rules apply in order; a field without a
 * parent gets no default, so parents come first.
 */
export interface FieldDefault {
  readonly path: string
  /** If it returns undefined, the field stays missing. */
  readonly fill?: (parent: Fields, object: Fields) => unknown
  /** For integers that are no pointers in Go: 0 counts as missing. */
  readonly replacesZero?: boolean
  /** For texts that are pointers in Go: an empty one does not count as missing. */
  readonly keepsEmptyText?: boolean
  /** Changes the present or filled value. */
  readonly change?: (value: never) => unknown
}

type Constant = string | number | boolean | object

export const fillField = (path: string, value: Constant): FieldDefault => ({ path, fill: () => value })

export const fillPointer = (path: string, value: Constant): FieldDefault => ({
  path,
  fill: () => value,
  keepsEmptyText: true
})

export const fillMissingOrZero = (path: string, value: number): FieldDefault => ({
  path,
  fill: () => value,
  replacesZero: true
})

export const fillComputed = (path: string, fill: NonNullable<FieldDefault["fill"]>): FieldDefault => ({
  path,
  fill
})

export const changeValue = <T>(path: string, change: (value: T) => T): FieldDefault => ({ path, change })

export type FillDefaults = <O extends object>(object: O) => O

const asFields = (object: object): Fields => ({ ...object })

/** The filled object shares all unchanged parts. */
export const compileDefaults = (rules: ReadonlyArray<FieldDefault>): FillDefaults => {
  const compiledRules = rules.map((rule) => ({ rule, segments: rule.path.split(".").map(parseSegment) }))
  return <O extends object>(object: O): O => {
    const given = asFields(object)
    let filled = given
    for (const { rule, segments } of compiledRules)
      filled = applyRule(filled, { rule, segments, root: filled }, 0)
    return filled === given ? object : (filled as O)
  }
}

interface PathSegment {
  readonly field: string
  readonly isList: boolean
}

const parseSegment = (text: string): PathSegment => {
  const isList = text.endsWith("[]")
  return { field: isList ? text.slice(0, -"[]".length) : text, isList }
}

interface RuleApplication {
  readonly rule: FieldDefault
  readonly segments: ReadonlyArray<PathSegment>
  readonly root: Fields
}

const applyRule = (parent: Fields, application: RuleApplication, depth: number): Fields => {
  const segment = application.segments[depth]
  if (segment === undefined) return parent
  const { field, isList } = segment
  const value = parent[field]
  const isLast = depth === application.segments.length - 1
  if (isLast && !isList) return withValue(parent, field, valueAfterRule(value, parent, application))
  if (isList) {
    if (!Array.isArray(value)) return parent
    const items = value.map((item: unknown) => {
      if (isLast) return valueAfterRule(item, parent, application)
      return isFields(item) ? applyRule(item, application, depth + 1) : item
    })
    return items.some((item, index) => item !== value[index]) ? { ...parent, [field]: items } : parent
  }
  return isFields(value) ? withValue(parent, field, applyRule(value, application, depth + 1)) : parent
}

const withValue = (parent: Fields, field: string, value: unknown): Fields =>
  value === parent[field] ? parent : { ...parent, [field]: value }

const valueAfterRule = (value: unknown, parent: Fields, { rule, root }: RuleApplication): unknown => {
  const present = isMissing(value, rule) ? (rule.fill?.(parent, root) ?? value) : value
  return rule.change === undefined || present === undefined || present === null
    ? present
    : rule.change(present as never)
}

/** Go cannot tell an empty string or list from a missing one. */
const isMissing = (value: unknown, { replacesZero = false, keepsEmptyText = false }: FieldDefault): boolean =>
  value === undefined ||
  value === null ||
  (!keepsEmptyText && value === "") ||
  (replacesZero && value === 0) ||
  (Array.isArray(value) && value.length === 0)
