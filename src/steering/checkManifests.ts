import { annotationWarnings } from "./annotationWarnings.ts"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { manifestStrategy } from "./decodeStrategy.ts"
import { findCreateProblem } from "../manifests/manifestProblems.ts"
import { readManifests } from "../manifests/readManifests.ts"
import { strategyAnnotation } from "../kubernetes/steering/steeringNames.ts"
import type { ManifestDocument, ManifestProblem } from "../manifests/manifestDocument.ts"
import type { SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"

interface CheckedManifests {
  readonly problems: ReadonlyArray<ManifestProblem>
  /** The names of the Deployments with a valid strategy. */
  readonly steered: ReadonlyArray<string>
  /** Annotations that nothing reads, and settings that are probably a mistake. */
  readonly warnings: ReadonlyArray<ManifestProblem>
}

/**
 * Checks the strategies of the Deployments in manifests. Manifests that cannot be read are problems, too; custom
 * resources are skipped.
 */
export const checkManifests = (
  files: ReadonlyArray<{ readonly name: string; readonly text: string }>,
  strategies: ReadonlyArray<SteeringStrategy> = builtInSteering
): CheckedManifests => {
  // Checks each occurrence of a repeated object.
  const { documents, problems } = readManifests(files, {
    strict: true,
    skipsCustomResources: true,
    // An older cluster may still serve them.
    skipsRemovedVersions: true,
    keepsReplaced: true
  })
  const checkedDeployments = documents.flatMap((document) => {
    const decoded = manifestStrategy(document, strategies)
    if (decoded === undefined) return []
    const lines = files.find(({ name }) => name === document.file)?.text.split("\n") ?? []
    const refusal = findCreateProblem(document)
    const problems = [
      ...(refusal === undefined ? [] : [refusal]),
      ...decoded.problems.map((problem) => problemInFile(document, lines, problem))
    ]
    const warnings = decoded.warnings.map((warning) => problemInFile(document, lines, warning))
    return [{ name: document.draft.metadata.name ?? "", problems, warnings }]
  })
  return {
    problems: [...problems, ...checkedDeployments.flatMap((deployment) => deployment.problems)],
    steered: checkedDeployments
      .filter((deployment) => deployment.problems.length === 0)
      .map(({ name }) => name),
    warnings: [
      ...documents.flatMap((document) =>
        annotationWarnings(document).map(({ path, message }) => ({
          file: document.file,
          document: document.document,
          ...document.placeOf(path),
          message
        }))
      ),
      ...checkedDeployments.flatMap(({ warnings }) => warnings)
    ]
  }
}

/**
 * Lines of the annotation's text are lines of the file only if it is a YAML block (`|`); otherwise the problem is
 * placed at the annotation's name.
 */
const problemInFile = (
  document: ManifestDocument,
  lines: ReadonlyArray<string>,
  { message, line }: { readonly message: string; readonly line: number }
): ManifestProblem => {
  const { file, document: number } = document
  const key = document.placeOf(["metadata", "annotations", strategyAnnotation])
  const isBlock = /[|>][-+\d]*\s*(?:#.*)?$/u.test(lines[key.line - 1] ?? "")
  const text = `${strategyAnnotation}: ${message}`
  if (!isBlock) return { file, document: number, ...key, message: text }
  const place = key.line + line
  const column = (lines[place - 1] ?? "").search(/\S/u) + 1
  return { file, document: number, line: place, column: Math.max(1, column), message: text }
}
