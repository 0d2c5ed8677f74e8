import { isFields } from "../kubernetes/meta/fields.ts"
import { failureDefaults } from "../kubernetes/steering/steeringSettings.ts"
import { nearestWord } from "../kubernetes/meta/text/nearestWord.ts"
import { parseDuration } from "../kubernetes/meta/amounts/durations.ts"
import { parseYamlDocuments } from "../manifests/yamlDocuments.ts"
import { findingText, schemaFindings } from "../behaviours/schemaFindings.ts"
import { AutomaticRollbackSchema, CanarySchema, untilPromoted } from "./strategyAnnotationSchema.ts"
import type * as Schema from "effect/Schema"
import type { Deployment } from "../kubernetes/meta/objects.ts"
import type { DocumentPath } from "../kubernetes/meta/text/fieldPath.ts"
import type { CanarySettings, FailureSettings } from "../kubernetes/steering/steeringSettings.ts"
import type { SteeringSettings } from "../kubernetes/steering/steeringObservation.ts"
import type { SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"
import type { YamlDocument } from "../manifests/yamlDocuments.ts"

export interface StrategyProblem {
  readonly message: string
  /** In the annotation's text, from 1. */
  readonly line: number
}

export type DecodedStrategy =
  | { readonly strategy: SteeringSettings; readonly problems: readonly [] }
  | { readonly strategy: undefined; readonly problems: ReadonlyArray<StrategyProblem> }

/** Decodes the annotation `charthouse.dev/strategy`: `NAME: SETTINGS`, or a name alone. */
export const decodeStrategy = (
  text: string,
  deployment: Deployment,
  strategies: ReadonlyArray<SteeringStrategy>
): DecodedStrategy => {
  const { documents, problems } = parseYamlDocuments(text)
  const [document, second] = documents
  if (problems.length > 0) return refused(problems.map(({ message, line }) => ({ message, line })))
  if (document === undefined) return refused([{ message: "is empty", line: 1 }])
  if (second !== undefined) return refused([{ message: "is more than one document", line: second.line }])
  const entry = nameAndSettings(document.value)
  if (entry === undefined)
    return refused([{ message: "must name one steering chart, with its settings", line: document.line }])
  const [name, settings] = entry
  const strategy = strategies.find(({ state }) => state === name)
  if (strategy === undefined)
    return refused([{ message: unknownName(name, strategies), line: lineOf(document, [name]) }])
  const found = decodeSettings(name, settings, document)
  if ("problems" in found) return refused(found.problems)
  const contradictions = strategy.problems?.(found.settings, deployment) ?? []
  return contradictions.length === 0
    ? { strategy: { name, settings: found.settings }, problems: [] }
    : refused(
        contradictions.map(({ message, path = [] }) => ({ message, line: lineOf(document, [name, ...path]) }))
      )
}

const refused = (problems: ReadonlyArray<StrategyProblem>): DecodedStrategy => ({
  strategy: undefined,
  problems
})

const nameAndSettings = (value: unknown): readonly [name: string, settings: unknown] | undefined => {
  if (typeof value === "string") return [value, {}]
  if (!isFields(value)) return undefined
  const [entry, second] = Object.entries(value)
  return entry === undefined || second !== undefined ? undefined : [entry[0], entry[1] ?? {}]
}

const lineOf = ({ placeOf }: YamlDocument, path: DocumentPath): number => placeOf(path).line

const unknownName = (name: string, strategies: ReadonlyArray<SteeringStrategy>): string => {
  const names = strategies.map(({ state }) => state)
  const nearest = nearestWord(name, names)
  const hint = nearest === undefined ? `the charts are ${names.join(", ")}` : `did you mean ${nearest}?`
  return `${JSON.stringify(name)} is no steering chart; ${hint}`
}

const decodeSettings = (
  name: string,
  settings: unknown,
  document: YamlDocument
): { readonly settings: unknown } | { readonly problems: ReadonlyArray<StrategyProblem> } => {
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined
  // A user's own chart checks its settings itself.
  if (decoder === undefined) return { settings }
  const findings = schemaFindings(decoder.schema, settings, [name])
  return findings.length === 0
    ? { settings: decoder.decode(settings) }
    : {
        problems: findings.map((finding) => ({
          message: findingText(finding),
          line: document.placeOf(finding.path, finding.pointsAt).line
        }))
      }
}

interface FailureDraft {
  readonly restarts?: number
  readonly cannotStart?: string
  readonly onFailure?: FailureSettings["onFailure"]
}

const decodeFailures = ({ restarts, cannotStart, onFailure }: FailureDraft): FailureSettings => ({
  restarts: restarts ?? failureDefaults.restarts,
  cannotStartMillis:
    cannotStart === undefined
      ? failureDefaults.cannotStartMillis
      : (parseDuration(cannotStart) ?? failureDefaults.cannotStartMillis),
  onFailure: onFailure ?? failureDefaults.onFailure
})

interface CanaryDraft extends FailureDraft {
  readonly steps: ReadonlyArray<{ readonly approve?: number | string; readonly hold?: string }>
}

const decodeCanary = ({ steps, ...failures }: CanaryDraft): CanarySettings => ({
  ...decodeFailures(failures),
  steps: steps.map(({ approve, hold = untilPromoted }) =>
    approve === undefined
      ? { holdMillis: hold === untilPromoted ? undefined : parseDuration(hold) }
      : { approve }
  )
})

interface SettingsDecoder {
  readonly schema: Schema.Top
  readonly decode: (settings: unknown) => unknown
}

/** By the chart's name. The settings have passed the schema. */
const decoders: Readonly<Record<string, SettingsDecoder>> = {
  automaticRollback: {
    schema: AutomaticRollbackSchema,
    decode: (settings) => decodeFailures(settings as FailureDraft)
  },
  canary: { schema: CanarySchema, decode: (settings) => decodeCanary(settings as CanaryDraft) }
}
