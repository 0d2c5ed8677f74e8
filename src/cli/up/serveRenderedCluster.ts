import { namespaceOption } from "../../kubernetes/meta/text/kubectlTarget.ts"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { kubeconfigContextName } from "../../server/access/kubeconfigContextName.ts"
import { KubeconfigError, kubeconfigPath } from "../kubeconfig/kubeconfigFile.ts"
import { installContext } from "../kubeconfig/kubeconfigContext.ts"
import { badInput } from "../input/badInput.ts"
import { printToStderr, abandonOutput, surviveOutputLoss } from "../terminal/terminal.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { randomToken, serve } from "../../cluster/serving/serveCluster.ts"
import { readOrCreateToken } from "./tokenFile.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import type { ClusterData } from "../../cluster/data/clusterData.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { ShutdownRequest } from "../terminal/signals.ts"
import type { RenderedCluster } from "../rendering/openRenderedCluster.ts"
import type { RunningServer } from "../../cluster/serving/serveOptions.ts"

export interface ServingOptions {
  readonly name: string
  readonly host: string
  readonly port: number
  /** With TLS, the page's own port; 0 for any free one. */
  readonly pagePort: number
  /** Created if missing; without a file, the token is new each time. */
  readonly tokenFile: string | undefined
  /** The last start's token, unless there is a `tokenFile`. */
  readonly token?: string | undefined
  readonly tls: boolean
  /** The kubeconfig for the context; kubectl's by default. */
  readonly kubeconfig: string | undefined
}

/** Serves while `play` runs, and then until a signal comes. */
export const serveRenderedCluster = Effect.fnUntraced(function* <E>(
  renderedCluster: RenderedCluster,
  options: ServingOptions & {
    readonly shutdown: ShutdownRequest
    readonly play: Effect.Effect<void, E>
    readonly data?: ClusterData | undefined
  }
) {
  const { cluster, print, palette } = renderedCluster
  const { name, host, port, pagePort, tokenFile, tls, shutdown, play } = options
  surviveOutputLoss()
  const token =
    tokenFile === undefined ? (options.token ?? randomToken()) : yield* readOrCreateToken(tokenFile)
  const server = yield* serve(cluster, { name, host, port, page: true, pagePort, tls, token }).pipe(
    Effect.mapError(({ message }) => badInput(message))
  )
  const path = options.kubeconfig ?? kubeconfigPath(process.env)
  // kubectl sends no token over plain HTTP: a context would be useless.
  const removeContext = tls ? yield* installContextUntilExit(path, server, shutdown) : noContextToRemove
  const printDimmed = (lines: ReadonlyArray<string>): void => {
    for (const line of lines) print(palette.dim(line))
  }
  printDimmed([
    ...(tls ? contextLines(server, path) : plainHttpLines(server)),
    `# page  ${server.page}`,
    ...(options.data === undefined ? [] : dataLines(options.data))
  ])
  renderedCluster.renderer.showPageAddress?.(server.page ?? "")
  yield* Effect.raceFirst(play, shutdown.requested)
  printDimmed([...(tls ? nextCommands(renderedCluster, path) : []), "# Ctrl-C ends it"])
  yield* renderUntilShutdown(renderedCluster, shutdown.requested)
  // Unread output must not delay the exit.
  abandonOutput()
  return removeContext()
})

/** The returned function removes the context and gives the exit code. */
const installContextUntilExit = (
  path: string,
  served: RunningServer,
  shutdown: ShutdownRequest
): Effect.Effect<() => ExitCode, BadInput> =>
  Effect.tryPromise({
    try: async () => {
      const uninstall = await installContext(path, served)
      let code: ExitCode = 0
      const removeContext = (): void => {
        try {
          uninstall()
        } catch (error) {
          code = 2
          process.exitCode = code
          printToStderr(`error: ${systemErrorText(error)}`)
        }
      }
      shutdown.onExit(removeContext)
      return () => {
        removeContext()
        return code
      }
    },
    catch: (error) => {
      if (error instanceof KubeconfigError) return badInput(error.message)
      throw error
    }
  })

const renderUntilShutdown = (
  { cluster, renderer, startMillis }: RenderedCluster,
  shutdown: Effect.Effect<void>
) =>
  Effect.suspend(() => {
    const unsubscribe = cluster.onChange((change) =>
      renderer.onChange(change, cluster.nowMillis() - startMillis)
    )
    return Effect.ensuring(Effect.raceFirst(shutdown, renderer.renderForever), Effect.sync(unsubscribe))
  })

const contextLines = (served: RunningServer, path: string): ReadonlyArray<string> => [
  `# serving ${served.url}`,
  `# kubectl's context is ${kubeconfigContextName(served.name)}, in ${path}, until this ends`
]

const plainHttpLines = ({ url, token }: RunningServer): ReadonlyArray<string> => [
  `# serving ${url}`,
  "# kubectl sends no token over plain HTTP, so that no kubeconfig has a context for it; for programs:",
  `#   curl -H "Authorization: Bearer ${token}" ${url}/version`
]

const dataLines = ({ directory, level, snapshot, info, objectCount }: ClusterData): ReadonlyArray<string> => {
  const where = `# data  ${directory}, ${level === "full" ? "synced with every answer" : "written with every answer"}`
  if (snapshot === undefined || info === undefined) return [where]
  const time = new Date(snapshot.nowMillis).toISOString()
  return [where, `# goes on with ${objectCount} objects from ${time}, start ${info.starts + 1}`]
}

const noContextToRemove = (): ExitCode => 0

const nextCommands = ({ cluster }: RenderedCluster, path: string): ReadonlyArray<string> => {
  const [deployment] = cluster.view.all(resources.deployments)
  const name = deployment?.metadata.name ?? "web"
  const namespaceFlag = namespaceOption(deployment?.metadata ?? {})
  const container = deployment?.spec.template.spec?.containers[0]
  const [image = "nginx"] = (container?.image ?? "").split(":")
  const firstCommand =
    deployment === undefined
      ? "kubectl create deployment web --image=nginx --replicas=3"
      : `kubectl set image deployment/${name} ${container?.name ?? "*"}=${image}:next${namespaceFlag}`
  const commands = [
    // Otherwise kubectl would use another cluster.
    ...(path === kubeconfigPath(process.env) ? [] : [`export KUBECONFIG='${resolve(path)}'`]),
    firstCommand,
    ...(cluster.clock.state().speed === 0 ? ["charthouse clock advance 1m"] : []),
    `kubectl rollout status deployment/${name}${namespaceFlag}`,
    `kubectl rollout undo deployment/${name}${namespaceFlag}`
  ]
  return ["", ...commands.map((command) => `#   ${command}`)]
}
