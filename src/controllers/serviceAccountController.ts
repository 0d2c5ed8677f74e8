import * as Effect from "effect/Effect"
import { isFieldSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { defaultServiceAccount, rootCaConfigMap } from "../kubernetes/pods/podReferences.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { runInformer } from "../runtime/workers/informer.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import { makeMailbox } from "../runtime/workers/mailbox.ts"
import { processMailbox } from "../runtime/workers/worker.ts"
import { serviceAccountTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { ConfigMap, Draft } from "../kubernetes/meta/objects.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./controllerServices.ts"
import type { ControllerSelection } from "./managerControllers.ts"

/**
 * Source: pkg/controller/serviceaccount/serviceaccounts_controller.go,
 * pkg/controller/certificates/rootcacertpublisher.
 */
export const runServiceAccountController = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  selection: Pick<ControllerSelection, "runs">
): Effect.fn.Return<RootCaPublisher, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  let rootCa = rootCaPlaceholder
  snapshotParts.registerPart<string>("rootCa", {
    save: () => rootCa,
    restore: (state) => {
      rootCa = state
    }
  })
  const mailbox = yield* makeMailbox({ kernel, turnOrder: serviceAccountTurnOrder, snapshotParts })

  const onChange = ({ type, resource, object }: Change): void => {
    const { name, namespace = "" } = object.metadata
    switch (resource) {
      case resources.namespaces:
        if (type === "ADDED") mailbox.offer(name)
        return
      case resources.serviceAccounts:
        if (type === "DELETED" && name === defaultServiceAccount) mailbox.offer(namespace)
        return
      case resources.configMaps:
        if (type !== "ADDED" && name === rootCaConfigMap) mailbox.offer(namespace)
    }
  }

  yield* processMailbox({
    mailbox,
    attempt: (namespace) => syncNamespace(services, selection, { namespace, rootCa }),
    snapshotParts
  })
  // The initial list gives the present namespaces as ADDED.
  yield* runInformer(services, onChange, {
    resources: [resources.namespaces, resources.serviceAccounts, resources.configMaps],
    initialList: [resources.namespaces]
  })
  return {
    publish: (certificate) => {
      rootCa = certificate
      for (const { metadata } of view.all(resources.namespaces)) mailbox.offer(metadata.name)
    }
  }
})

interface RootCaPublisher {
  readonly publish: (certificate: string) => void
}

const rootCaPlaceholder = "This cluster has no certificate authority.\n"

const syncNamespace = Effect.fnUntraced(function* (
  { view, store }: ControllerServices,
  { runs }: Pick<ControllerSelection, "runs">,
  { namespace, rootCa }: { readonly namespace: string; readonly rootCa: string }
): Effect.fn.Return<void, StoreError> {
  const present = view.get(resources.namespaces, namespace)
  if (present === undefined || isTerminating(present)) return
  const account = view.get(resources.serviceAccounts, `${namespace}/${defaultServiceAccount}`)
  if (account === undefined && runs("serviceaccount-controller"))
    yield* store.create(serviceAccountDraft(namespace))
  if (!runs("root-ca-certificate-publisher-controller")) return
  const configMap = view.get(resources.configMaps, `${namespace}/${rootCaConfigMap}`)
  const desired = rootCaDraft(namespace, rootCa)
  if (configMap === undefined) yield* store.create(desired)
  else if (!isFieldSemanticallyEqual("data", configMap.data, desired.data)) {
    const updatedConfigMap: ConfigMap = { ...configMap, data: desired.data }
    yield* store.update(updatedConfigMap)
  }
})

const serviceAccountDraft = (namespace: string): Draft => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: defaultServiceAccount, namespace }
})

const rootCaDraft = (namespace: string, rootCa: string): Draft & Required<Pick<ConfigMap, "data">> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: rootCaConfigMap,
    namespace,
    annotations: { "kubernetes.io/description": "By this the API server is known inside the cluster." }
  },
  data: { "ca.crt": rootCa }
})
