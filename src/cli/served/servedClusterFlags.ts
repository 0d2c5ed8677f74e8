import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { ServedClusterRef } from "./requestServer.ts"

export const servedClusterFlags = {
  name: Flag.String("name").pipe(
    Flag.withDescription("The name of the served cluster; by default that of the current context"),
    Flag.optional
  ),
  kubeconfig: Flag.String("kubeconfig").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("The kubeconfig file with its context; by default the one that kubectl uses"),
    Flag.optional
  )
}

export const servedClusterRef = (
  flagValues: Command.Command.Config.Infer<typeof servedClusterFlags>
): ServedClusterRef => ({
  name: Option.getOrUndefined(flagValues.name),
  kubeconfig: Option.getOrUndefined(flagValues.kubeconfig)
})
