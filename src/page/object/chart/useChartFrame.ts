import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { RefObject } from "preact"

/** At a smaller scale no name can be read; at a larger one the box of one state fills the screen. */
const [scaleMin, scaleMax] = [0.2, 2]
const initialScale = 0.9
/** The factor for one turn of the wheel, or one press of + or -. */
const wheelFactor = 1.15

const boundedScale = (scale: number): number => Math.min(scaleMax, Math.max(scaleMin, scale))

/** Zooming keeps a point of the frame above the same point of the drawing. */
interface Anchor {
  readonly x: number
  readonly y: number
  readonly factor: number
}

interface ChartFrame {
  readonly zoomBy: (factor: number) => void
  readonly fit: () => void
  /** Does nothing if the box is in sight. */
  readonly center: (target: DOMRect | undefined) => void
  readonly onPointerDown: (event: PointerEvent) => void
  readonly onWheel: (event: WheelEvent) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/** The drawing is dragged with the pointer, and zoomed with the wheel and Ctrl, or with keys. */
export const useChartFrame = (
  frame: RefObject<HTMLDivElement | null>,
  drawing: SVGSVGElement | undefined
): ChartFrame => {
  const [scale, setScale] = useState(initialScale)
  const anchor = useRef<Anchor>(undefined)

  useLayoutEffect(() => {
    const box = frame.current
    if (drawing === undefined || box === null) return
    const { width, height } = drawing.viewBox.baseVal
    drawing.setAttribute("width", String(width * scale))
    drawing.setAttribute("height", String(height * scale))
    if (anchor.current === undefined) return
    const { x, y, factor } = anchor.current
    anchor.current = undefined
    box.scrollLeft = (box.scrollLeft + x) * factor - x
    box.scrollTop = (box.scrollTop + y) * factor - y
  }, [drawing, frame, scale])

  const zoomAround = (factor: number, x: number, y: number): void => {
    const next = boundedScale(scale * factor)
    anchor.current = { x, y, factor: next / scale }
    setScale(next)
  }
  const zoomBy = (factor: number): void => {
    const box = frame.current
    if (box !== null) zoomAround(factor, box.clientWidth / 2, box.clientHeight / 2)
  }
  const fit = (): void => {
    const box = frame.current
    if (box === null || drawing === undefined) return
    const { width, height } = drawing.viewBox.baseVal
    setScale(boundedScale(Math.min(box.clientWidth / width, box.clientHeight / height)))
  }
  const center = useCallback(
    (target: DOMRect | undefined) => {
      if (frame.current !== null && target !== undefined) scrollIntoFrame(frame.current, target)
    },
    [frame]
  )
  return {
    zoomBy,
    fit,
    center,
    onPointerDown: (event) => {
      // A finger scrolls the frame by itself.
      if (event.button !== 0 || event.pointerType === "touch" || frame.current === null) return
      dragFrame(frame.current, event)
    },
    onWheel: (event) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const box = frame.current?.getBoundingClientRect()
      if (box === undefined) return
      const factor = event.deltaY > 0 ? 1 / wheelFactor : wheelFactor
      zoomAround(factor, event.clientX - box.left, event.clientY - box.top)
    },
    onKeyDown: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === "+" || event.key === "=") zoomBy(wheelFactor)
      else if (event.key === "-") zoomBy(1 / wheelFactor)
      else if (event.key === "0") fit()
      else return
      event.preventDefault()
      event.stopPropagation()
    }
  }
}

const dragFrame = (frame: HTMLElement, { clientX, clientY, pointerId }: PointerEvent): void => {
  const [left, top] = [frame.scrollLeft, frame.scrollTop]
  const move = (event: PointerEvent): void => {
    if (event.pointerId !== pointerId) return
    frame.scrollLeft = left + clientX - event.clientX
    frame.scrollTop = top + clientY - event.clientY
  }
  const end = (): void => {
    window.removeEventListener("pointermove", move)
    window.removeEventListener("pointerup", end)
    window.removeEventListener("pointercancel", end)
  }
  window.addEventListener("pointermove", move)
  window.addEventListener("pointerup", end)
  window.addEventListener("pointercancel", end)
}

/** Pixels between the frame's edge and a state's box that is larger than the frame. */
const marginMin = 16

const scrollIntoFrame = (frame: HTMLElement, target: DOMRect): void => {
  const box = frame.getBoundingClientRect()
  // Excludes the scroll bars.
  const [right, bottom] = [box.left + frame.clientWidth, box.top + frame.clientHeight]
  const isVisible =
    target.top >= box.top && target.bottom <= bottom && target.left >= box.left && target.right <= right
  if (isVisible) return
  frame.scrollBy({
    top: target.top - box.top - Math.max(marginMin, (box.height - target.height) / 2),
    left: target.left - box.left - Math.max(marginMin, (box.width - target.width) / 2)
  })
}
