import { clusterMetrics } from "./clusterMetrics.ts"
import { metricsMediaType, metricsText } from "./metricsText.ts"
import { processMetrics } from "./processMetrics.ts"
import { requestMetrics } from "./requestMetrics.ts"
import type { QueueMeters } from "../../runtime/workers/queueMeters.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { ApiDocument } from "../http/apiDocument.ts"
import type { RequestMeter } from "./requestMeter.ts"

export const metricsDocument = (
  meter: RequestMeter,
  { view, queues }: { readonly view: ClusterView["Service"]; readonly queues: QueueMeters }
): ApiDocument => ({
  contentType: metricsMediaType,
  etag: undefined,
  body: metricsText([...requestMetrics(meter), ...clusterMetrics(view, queues), ...processMetrics()])
})
