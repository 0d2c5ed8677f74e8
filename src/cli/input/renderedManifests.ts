import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { runForOutput } from "./programs.ts"
import { BadInput, badInput } from "./badInput.ts"
import type { Invocation } from "./programs.ts"
import type { TextFile } from "./textFiles.ts"

/** Source: sigs.k8s.io/kustomize/api/konfig (RecognizedKustomizationFileNames). */
export const kustomizationNames: ReadonlySet<string> = new Set([
  "kustomization.yaml",
  "kustomization.yml",
  "Kustomization"
])

/** Prefers kubectl's own kustomize. */
export const renderKustomization = (folder: string): Effect.Effect<TextFile, BadInput> =>
  renderByFirstInstalled(`the kustomization in ${JSON.stringify(folder)}`, [
    { program: "kubectl", args: ["kustomize", folder] },
    { program: "kustomize", args: ["build", folder] }
  ])

/** `chart`: a folder, an archive or `REPOSITORY/NAME`. */
interface HelmRelease {
  readonly chart: string
  readonly values: ReadonlyArray<string>
  readonly namespace: string | undefined
}

/** The release has the chart's name. */
export const renderHelmChart = ({
  chart,
  values,
  namespace
}: HelmRelease): Effect.Effect<TextFile, BadInput> => {
  const release = basename(resolve(chart)).replace(/-\d+\.\d+\.\d+.*\.tgz$/, "")
  const namespaceFlags = namespace === undefined ? [] : ["--namespace", namespace]
  const valueFlags = values.flatMap((file) => ["--values", file])
  const args = ["template", release, chart, "--include-crds", ...namespaceFlags, ...valueFlags]
  return renderByFirstInstalled(`the chart ${JSON.stringify(chart)}`, [{ program: "helm", args }])
}

/** Finds the source of rendered manifests by their name, which is the renderer's command line. */
export const renderedSourceFile = (commandLine: string): string | undefined => {
  const [, folder] = /^(?:kubectl kustomize|kustomize build) (.+)$/.exec(commandLine) ?? []
  if (folder !== undefined)
    return [...kustomizationNames].map((file) => join(folder, file)).find((path) => existsSync(path))
  const [, chart] = /^helm template \S+ (.+?) --include-crds/.exec(commandLine) ?? []
  if (chart === undefined) return undefined
  const chartFile = join(chart, "Chart.yaml")
  return existsSync(chartFile) ? chartFile : undefined
}

const renderByFirstInstalled = (
  subject: string,
  invocations: ReadonlyArray<Invocation>
): Effect.Effect<TextFile, BadInput> =>
  Effect.gen(function* () {
    for (const { program, args } of invocations) {
      const rendered = yield* Effect.result(runForOutput({ program, args }))
      const commandLine = [program, ...args].join(" ")
      if (rendered._tag === "Success") return { name: commandLine, text: rendered.success }
      const { isMissing, lines } = rendered.failure
      if (!isMissing) return yield* new BadInput({ lines: [`error: ${commandLine} failed`, ...lines] })
    }
    const programs = invocations.map(({ program }) => program).join(" or ")
    return yield* badInput(`${subject} is rendered by ${programs}, and none is on the PATH`)
  })
