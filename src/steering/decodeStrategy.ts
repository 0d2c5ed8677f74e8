import { annotationOf } from "../kubernetes/apps/revisions/revisions.ts"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { formatFieldPath } from "../kubernetes/meta/text/fieldPath.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { nearestWord } from "../kubernetes/meta/text/nearestWord.ts"
import { parseYamlDocuments } from "../manifests/yamlDocuments.ts"
import { findingText, schemaFindings } from "../behaviours/schemaFindings.ts"
import { settingsDecoders } from "./settingsDecoders.ts"
import { withDefaults } from "../kubernetes/admission/admit.ts"
import { strategyAnnotation } from "../kubernetes/steering/steeringNames.ts"
import type { Deployment, KubeObject } from "../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"
import type { SteeringProblem } from "../kubernetes/steering/stepProblems.ts"
import type { SteeringSettings } from "../kubernetes/steering/steeringObservation.ts"
import type { SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"
import type { YamlDocument } from "../manifests/yamlDocuments.ts"

/** Why the annotation `charthouse.dev/strategy` is invalid or probably a mistake. */
export interface StrategyProblem {
  readonly message: string
  /** Line and column in the annotation's text, from 1. */
  readonly line: number
  readonly column: number
}

export type DecodedStrategy =
  | {
      readonly strategy: SteeringSettings
      readonly chart: SteeringStrategy
      readonly problems: readonly []
      readonly warnings: ReadonlyArray<StrategyProblem>
    }
  | {
      readonly strategy: undefined
      readonly chart?: undefined
      readonly problems: ReadonlyArray<StrategyProblem>
      readonly warnings: readonly []
    }

export const decodedStrategyOf = (
  deployment: Deployment,
  strategies: ReadonlyArray<SteeringStrategy> = builtInSteering
): DecodedStrategy | undefined => {
  const text = annotationOf(deployment, strategyAnnotation)
  return text === undefined ? undefined : decodeStrategy(text, deployment, strategies)
}

/** The strategy of a Deployment without defaults; undefined for other objects. */
export const manifestStrategy = (
  { kind, draft }: Pick<ManifestDocument, "kind" | "draft">,
  strategies: ReadonlyArray<SteeringStrategy>
): DecodedStrategy | undefined =>
  kind.kind === "Deployment"
    ? decodedStrategyOf(withDefaults(kind, draft) as KubeObject as Deployment, strategies)
    : undefined

export const decodeStrategy = (
  text: string,
  deployment: Deployment,
  strategies: ReadonlyArray<SteeringStrategy>
): DecodedStrategy => readStrategy(text, strategies)(deployment)

export type CheckStrategy = (deployment: Deployment) => DecodedStrategy

/** Reads the annotation `charthouse.dev/strategy`: `NAME: SETTINGS`, or a name alone. */
export const readStrategy = (text: string, strategies: ReadonlyArray<SteeringStrategy>): CheckStrategy => {
  const { documents, problems } = parseYamlDocuments(text)
  const [document, otherDocument] = documents
  if (problems.length > 0)
    return refuseStrategy(problems.map(({ message, line, column }) => ({ message, line, column })))
  if (document === undefined) return refuseStrategy([{ message: "is empty", line: 1, column: 1 }])
  if (otherDocument !== undefined)
    return refuseStrategy([{ message: "is more than one document", ...positionOf(otherDocument) }])
  if (document.duplicates.length > 0)
    return refuseStrategy(
      document.duplicates.map(({ path, line, column }) => ({
        message: `${formatFieldPath(path)} is given twice`,
        line,
        column
      }))
    )
  const entry = nameAndSettings(document.value)
  if (entry === undefined)
    return refuseStrategy([
      { message: "must name one steering chart, with its settings", ...positionOf(document) }
    ])
  const [name, settings] = entry
  const chart = strategies.find(({ state }) => state === name)
  if (chart === undefined)
    return refuseStrategy([{ message: unknownName(name, strategies), ...document.placeOf([name]) }])
  const decodedSettings = decodeSettings(name, settings, document)
  if ("problems" in decodedSettings) return refuseStrategy(decodedSettings.problems)
  const decoded = { name, settings: decodedSettings.settings }
  const withPosition = ({ message, path = [] }: SteeringProblem): StrategyProblem => ({
    message,
    ...document.placeOf([name, ...path])
  })
  return (deployment) => {
    const contradictions = chart.problems?.(decodedSettings.settings, deployment) ?? []
    if (contradictions.length > 0)
      return { strategy: undefined, problems: contradictions.map(withPosition), warnings: [] }
    const warnings = chart.warnings?.(decodedSettings.settings, deployment) ?? []
    return { strategy: decoded, chart, problems: [], warnings: warnings.map(withPosition) }
  }
}

const refuseStrategy = (problems: ReadonlyArray<StrategyProblem>): CheckStrategy => {
  const decoded: DecodedStrategy = { strategy: undefined, problems, warnings: [] }
  return () => decoded
}

const nameAndSettings = (value: unknown): readonly [name: string, settings: unknown] | undefined => {
  if (typeof value === "string") return [value, {}]
  if (!isFields(value)) return undefined
  const [entry, otherEntry] = Object.entries(value)
  return entry === undefined || otherEntry !== undefined ? undefined : [entry[0], entry[1] ?? {}]
}

const positionOf = ({ line, column }: YamlDocument) => ({ line, column })

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
  const decoder = Object.hasOwn(settingsDecoders, name) ? settingsDecoders[name] : undefined
  // A user's own chart checks its settings itself.
  if (decoder === undefined) return { settings }
  const findings = schemaFindings(decoder.schema, settings, [name])
  return findings.length === 0
    ? { settings: decoder.decode(settings) }
    : {
        problems: findings.map((finding) => ({
          message: findingText(finding),
          ...document.placeOf(finding.path, finding.fieldPart)
        }))
      }
}
