import { findingText, schemaFindings } from "../../behaviours/schemaFindings.ts"
import { formatFieldPath } from "../../kubernetes/meta/text/fieldPath.ts"
import { parsePredicates } from "../predicates.ts"
import { parseYamlDocuments } from "../../manifests/yamlDocuments.ts"
import { PlanSettingsSchema } from "./settingsSchema.ts"
import type { DocumentPath } from "../../kubernetes/meta/text/fieldPath.ts"
import type { PlanSettings } from "./settingsSchema.ts"

export interface SettingsFile {
  readonly file: string
  readonly settings: PlanSettings
  /** The place of the field's value, or of its name. */
  readonly problemAt: (
    path: DocumentPath,
    message: string,
    options?: { readonly fieldPart?: "name" | "value" }
  ) => string
}

export type ReadSettings =
  | { readonly ok: true; readonly value: SettingsFile }
  | { readonly ok: false; readonly problems: ReadonlyArray<string> }

/** `today`, such as 2027-01-31, decides what has expired. */
export const readSettings = (text: string, file: string, today: string): ReadSettings => {
  const { documents, problems } = parseYamlDocuments(text)
  const [document, secondDocument] = documents
  if (problems.length > 0)
    return refused(problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`))
  if (document === undefined) return refused([`${file}: there is no PlanSettings in this file`])
  if (secondDocument !== undefined)
    return refused([
      `${file}:${secondDocument.line}:${secondDocument.column}: a file has one PlanSettings and nothing beside it`
    ])
  const problemAt = (
    path: DocumentPath,
    message: string,
    { fieldPart = "value" }: { readonly fieldPart?: "name" | "value" } = {}
  ): string => {
    const { line, column } = document.placeOf(path, fieldPart)
    return `${file}:${line}:${column}: ${message}`
  }
  const findings = [
    ...document.duplicates.map(({ path }) =>
      problemAt(path, `duplicate field ${JSON.stringify(formatFieldPath(path))}`, { fieldPart: "name" })
    ),
    ...schemaFindings(PlanSettingsSchema, document.value).map((finding) =>
      problemAt(finding.path, findingText(finding), { fieldPart: finding.fieldPart })
    )
  ]
  if (findings.length > 0) return refused(findings)
  const { spec: settings } = document.value as { readonly spec: PlanSettings }
  const settingsFile: SettingsFile = { file, settings, problemAt }
  const settingsProblems = [
    ...expiredProblems(settingsFile, today),
    ...predicateProblems(settingsFile),
    ...repeatedNames(settingsFile)
  ]
  return settingsProblems.length > 0 ? refused(settingsProblems) : { ok: true, value: settingsFile }
}

const refused = (problems: ReadonlyArray<string>): ReadSettings => ({ ok: false, problems })

/** Days such as 2027-01-31 can be compared as texts. */
const expiredProblems = ({ settings, problemAt }: SettingsFile, today: string): ReadonlyArray<string> => {
  const lists = { acceptUnknown: settings.acceptUnknown ?? [], suppressions: settings.suppressions ?? [] }
  return Object.entries(lists).flatMap(([name, entries]) =>
    entries.flatMap(({ expires }, index) =>
      expires < today
        ? [
            problemAt(
              ["spec", name, index, "expires"],
              `spec.${name}[${index}] has expired on ${expires}: decide again, or take it out`
            )
          ]
        : []
    )
  )
}

const predicateProblems = ({ settings, problemAt }: SettingsFile): ReadonlyArray<string> =>
  (settings.thresholds ?? []).flatMap(({ failOn }, index) => {
    const parsed = parsePredicates(failOn)
    const path = ["spec", "thresholds", index, "failOn"]
    return parsed.ok
      ? []
      : parsed.problems.map(({ message }) => problemAt(path, `spec.thresholds[${index}].failOn: ${message}`))
  })

const repeatedNames = ({ settings, problemAt }: SettingsFile): ReadonlyArray<string> => {
  const names = (settings.environments ?? []).map(({ name }) => name)
  return names.flatMap((name, index) =>
    names.indexOf(name) < index
      ? [
          problemAt(
            ["spec", "environments", index, "name"],
            `spec.environments[${index}].name: another environment is called ${JSON.stringify(name)}`
          )
        ]
      : []
  )
}
