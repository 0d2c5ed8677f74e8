import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type * as Command from "effect/cli/Command"

const namespace = Flag.String("namespace").pipe(
  Flag.withAlias("n"),
  Flag.withDescription("The namespace; by default that of the context"),
  Flag.optional
)
const kubeconfig = Flag.String("kubeconfig").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("The kubeconfig file; by default the one that kubectl uses"),
  Flag.optional
)
const context = Flag.String("context").pipe(
  Flag.withDescription("The kubeconfig context; the current one by default"),
  Flag.optional
)
export const forecastFlag = Flag.Boolean("next").pipe(
  Flag.withDescription(
    "Look up what happens next in copies of the cluster, with other seeds, and what each change that may help would " +
      "do; for a cluster that is not Charthouse's, what charthouse plan predicts"
  ),
  Flag.withDefault(false)
)
export const remoteClusterFlags = { namespace, kubeconfig, context }

export const remoteClusterRef = (flagValues: Command.Command.Config.Infer<typeof remoteClusterFlags>) => ({
  namespace: Option.getOrUndefined(flagValues.namespace),
  kubeconfig: Option.getOrUndefined(flagValues.kubeconfig),
  context: Option.getOrUndefined(flagValues.context)
})
