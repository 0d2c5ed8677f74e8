import { useEffect, useRef, useState } from "preact/hooks"

/** Until the element is measured. */
const defaultWidth = 960
const minWidth = 280

/** The width of an element. Drawings have a viewBox of this width, so that text keeps its size. */
export const useElementWidth = () => {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(defaultWidth)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = (): void => {
      if (element.clientWidth > 0) setWidth(Math.max(minWidth, Math.floor(element.clientWidth)))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
