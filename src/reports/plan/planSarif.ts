import { createHash } from "node:crypto"
import { findingSubject, planFindings } from "./planFindings.ts"
import { noFieldPath } from "./planReport.ts"
import { ruleNames } from "../../plan/verdicts/verdict.ts"
import { ruleTexts } from "./ruleTexts.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import type { FieldPlace, PlanReport } from "./planReport.ts"
import type { PlanFinding } from "./planFindings.ts"

/**
 * Empty `results` close the alerts of earlier runs. Source: Static Analysis Results Interchange Format (SARIF) Version
 * 2.1.0, OASIS Standard.
 */
export const planSarif = (report: PlanReport): string => {
  const { version, environments, exitCode } = report
  const findings = planFindings(report)
  const fingerprints = fingerprintsOf(findings)
  const log = {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "charthouse",
            semanticVersion: version,
            rules: [...ruleNames.map(ruleOf), refusedRule]
          }
        },
        automationDetails: { id: "charthouse/plan" },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: true,
            exitCode,
            toolExecutionNotifications: [...new Set(environments.flatMap(({ plan }) => plan.warnings))].map(
              (text) => ({ level: "warning", message: { text } })
            )
          }
        ],
        artifacts: artifactsOf(report),
        results: [
          ...report.refused.map(refusedResult),
          ...findings.map((finding, index) => resultOf(finding, fingerprints[index] ?? ""))
        ]
      }
    ]
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

const ruleOf = (id: (typeof ruleNames)[number]) => {
  const { title, help } = ruleTexts[id]
  return {
    id,
    name: id.replaceAll(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    shortDescription: { text: `${title}.` },
    fullDescription: { text: `${title}. ${help}` },
    help: { text: help },
    defaultConfiguration: { level: id === "rollout-stuck" || id === "rollout-late" ? "error" : "warning" }
  }
}

const refusedRule = {
  id: "object-refused",
  name: "ObjectRefused",
  shortDescription: { text: "The API server refuses an object." },
  fullDescription: {
    text: "The API server refuses an object. kubectl apply fails for it, and applies the others."
  },
  help: { text: "kubectl apply fails for it, and applies the others." },
  defaultConfiguration: { level: "error" }
}

const refusedResult = ({ title, kind, namespace, name, message, place }: PlanReport["refused"][number]) => {
  const isNamed = kind !== undefined && name !== undefined
  return {
    ruleId: refusedRule.id,
    ruleIndex: ruleNames.length,
    level: "error",
    message: { text: `${title}: ${message}` },
    locations: [
      {
        ...(place === undefined ? {} : { physicalLocation: physicalLocation(place) }),
        ...(isNamed
          ? {
              logicalLocations: [
                { name, fullyQualifiedName: `${kind}/${toObjectKey(namespace, name)}`, kind: "resource" }
              ]
            }
          : {})
      }
    ],
    partialFingerprints: {
      "charthouseFinding/v1": fingerprintOf(
        [...(isNamed ? [kind, namespace, name] : [title]), refusedRule.id].join("\n")
      )
    }
  }
}

/** The files of all workloads, also of those without findings. */
const artifactsOf = ({ environments, placeOf }: PlanReport) => {
  const files = environments.flatMap(({ plan }) =>
    plan.rollouts.flatMap((rollout) => placeOf(rollout, noFieldPath)?.file ?? [])
  )
  return [...new Set(files)].map((file) => ({ location: artifactLocation(file) }))
}

const resultOf = (finding: PlanFinding, fingerprint: string) => {
  const { rule, level, text, rollout, place, suppressedBecause } = finding
  const { kind, namespace, name } = rollout
  return {
    ruleId: rule,
    ruleIndex: ruleNames.indexOf(rule),
    level,
    message: { text: `${findingSubject(finding)}: ${text}` },
    locations: [
      {
        ...(place === undefined ? {} : { physicalLocation: physicalLocation(place) }),
        logicalLocations: [
          {
            name,
            fullyQualifiedName: `${kind === "Job" ? "batch" : "apps"}/${kind}/${namespace}/${name}`,
            kind: "resource"
          }
        ]
      }
    ],
    partialFingerprints: { "charthouseFinding/v1": fingerprint },
    ...(suppressedBecause === undefined
      ? {}
      : { suppressions: [{ kind: "external", status: "accepted", justification: suppressedBecause }] })
  }
}

/** Fingerprints identify findings over several commits, since the numbers in their texts change. */
const fingerprintsOf = (findings: ReadonlyArray<PlanFinding>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  return findings.map(({ rule, rollout, environment = "" }) => {
    const subject = [environment, rollout.kind, rollout.namespace, rollout.name, rule].join("\n")
    const count = (counts.get(subject) ?? 0) + 1
    counts.set(subject, count)
    return fingerprintOf(count === 1 ? subject : `${subject}\n${count}`)
  })
}

const fingerprintOf = (subject: string): string =>
  createHash("sha256").update(subject).digest("hex").slice(0, 32)

const physicalLocation = ({ file, line, column }: FieldPlace) => ({
  artifactLocation: artifactLocation(file),
  region: { startLine: line, startColumn: column }
})

const artifactLocation = (file: string) =>
  /^https?:\/\//.test(file)
    ? { uri: file }
    : { uri: file.split("/").map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" }
