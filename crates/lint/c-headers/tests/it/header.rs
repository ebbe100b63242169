//! The reader of headers: what it reads, that it reads back what it prints, that nothing stops it.

use proptest::prelude::*;
use unskew_c_headers::header::{
    CParameter, CType, EnumDeclaration, Header, HeaderItem, LayoutError, Layouts,
};

fn read(text: &str) -> Header {
    let header = Header::read(text.as_bytes());
    assert_eq!(header.problems, [], "{text}");
    header
}

/// Offsets of the fields of the first record.
fn offsets(header: &Header) -> Vec<(String, u64)> {
    let (_, record) = header.records().next().unwrap();
    let layout = Layouts::for_headers([header]).layout(&record.name).unwrap();
    layout.fields.into_iter().map(|field| (field.name, field.offset)).collect()
}

#[test]
fn declarations_keep_their_places_comments_and_conditions() {
    let header = read(
        "#ifndef GUARD_H_\n#define GUARD_H_\n#include <stddef.h>\n#ifdef __cplusplus\nextern \"C\" {\n\
         #endif\n\n// What a thing is\n// called.\nstruct Thing {\n  // Its name.\n  const char* name; // out\n\
         #if WIDE\n  int width;\n#endif\n};\n#ifdef __cplusplus\n}  // extern \"C\"\n#endif\n#endif\n",
    );
    assert_eq!(header.includes, ["stddef.h"]);
    let (declaration, thing) = header.records().next().unwrap();
    assert_eq!((declaration.place.line, declaration.place.column), (10, 1));
    assert_eq!(declaration.doc, "What a thing is\ncalled.");
    assert!(declaration.conditions.is_empty(), "the include guard is no condition");
    assert_eq!(
        (thing.fields[0].doc.as_str(), thing.fields[0].remark.as_str()),
        ("Its name.", "out")
    );
    assert_eq!(thing.fields.len(), 1, "nobody defines WIDE");
    assert_eq!(header.left_out.words.get("width").map(|c| &**c), Some("WIDE"));
    assert_eq!(header.macros[0].name, "GUARD_H_");
}

#[test]
fn of_a_condition_the_branch_that_is_taken_is_read() {
    let header = read(
        "#if A\ntypedef int Number;\n#elif B\ntypedef short Number;\n#else\ntypedef long Number;\n#endif\n",
    );
    let conditions: Vec<_> = header.declarations.iter().map(|d| d.conditions.join("&")).collect();
    assert_eq!(conditions, ["!(B)"]);
}

#[test]
fn macros_make_fields_and_announce_sizes() {
    let header = read(
        "#define SIZE(type, last) offsetof(type, last) + sizeof(((type*)0)->last)\n\
         #define FIELD(f) f* f\n#define NOTE [[nodiscard]]\n#define WIDE_##name\n\
         typedef struct Table {\n  size_t struct_size;\n  NOTE FIELD(Make);\n  FIELD(Use);\n} Table;\n\
         enum { Table_STRUCT_SIZE = SIZE(Table, Use) };\n#define OTHER_STRUCT_SIZE SIZE(Table, Make)\n\
         TRAITS(Table, Use);\nX_STRUCT_TRAITS(Table, struct_size);\n",
    );
    let fields = [("struct_size", 0), ("Make", 8), ("Use", 16)].map(|(n, at)| (n.to_owned(), at));
    assert_eq!(offsets(&header), fields);
    let mut announced: Vec<_> = header.announced().map(|a| a.last_field).collect();
    announced.sort();
    assert_eq!(announced, ["Make", "Use", "struct_size"]);
}

#[test]
fn anonymous_unions_share_their_place() {
    let header =
        read("struct V { int kind; union { const char* text; bool flag; }; size_t size; };");
    let wanted = [("kind", 0), ("", 8), ("text", 8), ("flag", 8), ("size", 16)];
    assert_eq!(offsets(&header), wanted.map(|(n, at)| (n.to_owned(), at)));
}

#[test]
fn of_several_beginnings_of_a_declaration_one_is_read() {
    let header = read(
        "#ifdef __cplusplus\nenum class Why : int32_t {\n#else\nenum Why : int32_t {\n#endif\n  A, B\n};\nint after;",
    );
    let (_, why) = header.enums().next().unwrap();
    assert_eq!((why.name.as_str(), why.enumerators.len()), ("Why", 2));
    assert_eq!(header.declarations.len(), 2);
}

#[test]
fn a_constant_may_announce_a_size() {
    let header = read("const size_t T_STRUCT_SIZE =\n    STRUCT_SIZE(T, last);");
    let announced: Vec<_> = header.announced().map(|a| (a.record, a.last_field)).collect();
    assert_eq!(announced, [("T", "last")]);
}

#[test]
fn declarators_are_read_inside_out() {
    let header = read(
        "typedef void (*Callback)(const char* key, size_t size, void (*done)(void*));\n\
         typedef Error* Function(Function_Args* args);\nint (*table[4])(int), *rest;\n",
    );
    let names: Vec<_> = header.declarations.iter().map(|d| d.item.name()).collect();
    assert_eq!(names, ["Callback", "Function", "table", "rest"]);
    let HeaderItem::Variable { r#type, .. } = &header.declarations[2].item else { panic!() };
    assert_eq!(r#type.declare("table"), "int (*table[4])(int)");
    let HeaderItem::Typedef { r#type, .. } = &header.declarations[0].item else { panic!() };
    assert_eq!(r#type.to_string(), "void (*)(const char *key, size_t size, void (*done)(void *))");
}

#[test]
fn enumerators_count_on_and_may_use_each_other() {
    let header =
        read("#define BASE 4\ntypedef enum { A, B = BASE, C, D = B | 1u << 3, E = sizeof(x) } T;");
    let (_, EnumDeclaration { name, enumerators, .. }) = header.enums().next().unwrap();
    let values: Vec<_> = enumerators.iter().map(|e| e.value).collect();
    assert_eq!((name.as_str(), values), ("T", vec![Some(0), Some(4), Some(5), Some(12), None]));
}

#[test]
fn what_cannot_be_read_has_a_place_and_the_rest_is_read() {
    let header = Header::read(
        b"template <class T> struct Box { T t; };\nstruct Good { int a; };\nusing x = y;\nint last;\n\xff",
    );
    let places: Vec<_> = header.problems.iter().map(|p| p.place.line).collect();
    assert!(places.contains(&1) && places.contains(&3) && places.contains(&5), "{places:?}");
    assert!(header.records().any(|(_, record)| record.name == "Good"));
    assert!(header.declarations.iter().any(|d| d.item.name() == "last"));
}

#[test]
fn layouts_that_c_does_not_fix_are_refused_and_packed_ones_are_not() {
    let header = read(
        "struct Self { struct Self inner; };\nstruct Bits { int a : 3; };\nstruct Tight { char b; int a; } \
         __attribute__((packed));\nstruct Far { struct Elsewhere e; };\nstruct Big { long a[9223372036854775807]; };\
         struct Open { char tail[]; };",
    );
    let mut layouts = Layouts::for_headers([&header]);
    assert!(matches!(layouts.layout("Self"), Err(LayoutError::Endless(_))));
    assert!(matches!(layouts.layout("Bits"), Err(LayoutError::BitField(_))));
    assert_eq!(layouts.layout("Tight").unwrap().size, 5, "packed leaves no gaps");
    assert!(matches!(layouts.layout("Far"), Err(LayoutError::Unknown(_))));
    assert!(matches!(layouts.layout("Big"), Err(LayoutError::TooLarge(_))));
    assert!(matches!(layouts.layout("Open"), Err(LayoutError::Length(_))));
}

#[test]
fn attacks_end_soon() {
    let doubling: String =
        (1..64).map(|i| format!("#define M{i} M{} M{}\n", i - 1, i - 1)).collect();
    let arguments =
        format!("#define F({0}) {0}\nstruct S {{ F({0}); }};", vec!["x"; 3000].join(","));
    let nested: String =
        (1..60).map(|i| format!("struct T{i} {{ struct T{} a, b; }};\n", i - 1)).collect();
    let texts = [
        format!("{doubling}struct S {{ int M63; }};"),
        "#define A B\n#define B A A\nA struct S { A };".to_owned(),
        arguments,
        "struct S {".repeat(100_000),
        "int (".repeat(100_000),
        "int x[".repeat(100_000),
        "int *".repeat(100_000),
        "#if 1\n".repeat(100_000),
        "#if 1\n#else\n#else\n".repeat(30_000),
        "#if 1\n{".repeat(50_000) + &"\n#else\n{\n#endif".repeat(50_000),
        "// a\n".repeat(50_000) + &"int a;".repeat(50_000),
        "/*".repeat(500_000),
        format!("struct T0 {{ int a; }};\n{nested}"),
        "extern \"C\" {".repeat(100_000),
    ];
    for text in texts {
        let begun = std::time::Instant::now();
        let header = Header::read(text.as_bytes());
        let mut layouts = Layouts::for_headers([&header]);
        for (_, record) in header.records() {
            let _ = layouts.layout(&record.name);
        }
        let start: String = text.chars().take(40).collect();
        assert!(begun.elapsed().as_secs() < 120, "{start}");
    }
}

fn type_of(depth: u32) -> BoxedStrategy<CType> {
    let names = ["int", "size_t", "bool", "Thing", "unsigned long", "double"];
    let named = (prop::sample::select(names.to_vec()), any::<bool>())
        .prop_map(|(name, constant)| CType::Named { name: name.to_owned(), constant });
    named
        .prop_recursive(depth, 12, 3, |inner| {
            let pointer = (inner.clone(), any::<bool>())
                .prop_map(|(to, constant)| CType::Pointer { to: Box::new(to), constant });
            // An array of functions, or a function that returns one, is no C.
            let plain = inner.clone().prop_map(|t| match t {
                CType::Function { .. } | CType::Array { .. } => t.pointer(),
                other => other,
            });
            let array = (plain.clone(), 1_u64..9).prop_map(|(of, count)| {
                let (of, length) = (Box::new(of), String::new());
                CType::Array { of, count: Some(count), length }
            });
            let function = (plain.clone(), prop::collection::vec(plain, 0..3), any::<bool>())
                .prop_map(|(result, list, more)| {
                    let variadic = more && !list.is_empty();
                    let parameters = list
                        .into_iter()
                        .enumerate()
                        .map(|(i, r#type)| CParameter { name: format!("p{i}"), r#type })
                        .collect();
                    CType::Function { result: Box::new(result), parameters, variadic }.pointer()
                });
            prop_oneof![pointer, array, function]
        })
        .boxed()
}

/// The size and alignment that C gives a type, worked out on its own.
fn measured(r#type: &CType) -> (u64, u64) {
    match r#type {
        CType::Array { of, count, .. } => {
            let (size, align) = measured(of);
            (size * count.unwrap(), align)
        }
        CType::Named { name, .. } => match name.as_str() {
            "int" => (4, 4),
            "bool" => (1, 1),
            "Thing" => (12, 4),
            _ => (8, 8),
        },
        _ => (8, 8),
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(?s).{0,200}") {
        Header::read(text.as_bytes());
    }

    #[test]
    fn any_mix_of_what_headers_have_is_read(words in prop::collection::vec(prop::sample::select(vec![
        "struct", "union", "enum", "typedef", "extern", "\"C\"", "{", "}", "(", ")", "[", "]", ";", ",",
        "*", "const", "int", "Name", "X", "=", "1", "<<", "\n#define X(a) a##a a\n", "X(", "\n#if A\n",
        "\n#else\n", "\n#endif\n", "// note\n", "/*", "*/", "...", "::", "<", ">", ":", "namespace",
        "static_assert", "\n#define Name int\n", "__attribute__", "alignas", "\\\n", "'", "\"",
    ]), 0..120)) {
        let text = words.join(" ");
        let header = Header::read(text.as_bytes());
        let mut layouts = Layouts::for_headers([&header]);
        for (_, record) in header.records() {
            let _ = layouts.layout(&record.name);
        }
        header.announced().count();
    }

    #[test]
    fn a_type_is_read_as_it_was_printed(r#type in type_of(4)) {
        let text = format!("typedef {};", r#type.declare("Name"));
        let header = read(&text);
        let HeaderItem::Typedef { r#type: found, .. } = &header.declarations[0].item else { panic!() };
        prop_assert_eq!(found, &r#type, "{}", text);
    }

    #[test]
    fn fields_lie_where_c_puts_them(types in prop::collection::vec(type_of(3), 1..12)) {
        let fields: Vec<String> =
            types.iter().enumerate().map(|(i, t)| format!("{};", t.declare(&format!("f{i}")))).collect();
        let text = format!("struct Record {{ {} }};\nstruct Thing {{ int a; char b; int c; }};", fields.join(" "));
        let header = read(&text);
        let (mut end, mut align) = (0_u64, 1);
        let mut wanted = Vec::new();
        for (i, t) in types.iter().enumerate() {
            let (bytes, own) = measured(t);
            let at = end.next_multiple_of(own);
            (end, align) = (at + bytes, align.max(own));
            wanted.push((format!("f{i}"), at));
        }
        let layout = Layouts::for_headers([&header]).layout("Record").unwrap();
        let found: Vec<_> = layout.fields.iter().map(|f| (f.name.clone(), f.offset)).collect();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!((layout.end, layout.size), (end, end.next_multiple_of(align)));
    }
}
