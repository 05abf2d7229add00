load helper

ptx=$B/tests/ptx

# What the parser says of a module with the given lines after its header.
says() {
	printf '.version 7.0\n.target sm_70\n.address_size 64\n%s\n' "$1" >bad.ptx
	run -3 "$ptx" print bad.ptx
	[ "${output#*: }" = "$2" ] || { echo "$1: $output" && false; }
}

@test "ptx: what compilers emit survives being printed and parsed again" {
	for f in "$T"/ptx/*.ptx "$ROOT"/share/workload/*/*.ptx; do
		[ -e "$f" ] || continue
		run -0 "$ptx" roundtrip "$f"
	done
}

@test "ptx: every kind of initialiser gives the bits NVIDIA's assembler gives" {
	run -0 "$ptx" inits "$T/ptx/traps.ptx"
	diff - <(echo "$output") <<'END'
dyn shared 0 16
later global 4 4
bytes global 8 4 0:1 1:2 2:3 3:4 4:5 5:fa
grid global 24 4 0:1 4:2 12:3 16:4 20:5
reals global 16 4 0:3f800000 4:40200000 8:c0400000 12:3a83126f
wide global 16 8 0:3ff8000000000000 8:c000000000000000
expr global 88 8 0:b 8:e 16:10000000000 24:ffffffffffffffff 32:0 40:a 48:31 56:7fffffffffffffff 64:fffffffffffffffd 72:fffffffffffffffc 80:0
open global 12 4 0:1 4:2 8:3
rows global 24 4 0:1 4:2 8:3 16:5 20:6
quad global 16 16 0:3f800000 4:40000000 8:40400000 12:40800000
pairs global 16 8 0:1 4:2 8:3 12:4
pointers global 32 8 0:bytes+0 8:bytes+4 16:@grid+0 24:@grid+8
piece global 4 1 0:ff&bytes+0 1:ff00&bytes+0 2:ff0000&bytes+0 3:ff000000&bytes+0
table const 8 4 0:ffffffff 4:8
tex global 8 8
weak_one global 4 4
vtable global 48 8 0:0 8:0 16:addone+0
END
}

@test "ptx: operators of constant expressions follow NVIDIA's assembler in value, sign and precedence" {
	while IFS='=' read -r expression bits; do
		printf '.version 7.0\n.target sm_70\n.global .u64 x = %s;\n' "${expression//EQ/==}" >e.ptx
		run -0 "$ptx" inits e.ptx
		[ "$output" = "x global 8 8 0:$bits" ] || { echo "$expression: $output" && false; }
	done <<'END'
1U - 2 > 0=1
1 - 2 > 0=0
1 - 2U > 0=1
-7 / 2=fffffffffffffffd
-7 % 3=0
-1 >> 60=ffffffffffffffff
-1U >> 60=f
0xffffffffffffffff >> 60=f
9223372036854775808 / 2=4000000000000000
-1 < 1U=0
~0U=ffffffffffffffff
!0 + 1=2
1 << 64=1
1 << -1=8000000000000000
-8 >> 70=ffffffffffffffff
1 ? 2 : 0 ? 3 : 4=2
0 ? 2 : 0 ? 3 : 4=4
5 ^ 3 & 6=7
5 | 1 EQ 1=5
2 + 3 << 1=a
- - 5=5
(.s64)0xffffffffffffffff >> 1=ffffffffffffffff
(.u64)-1 + 1 < 1=1
- 3 * - 4=c
~1 & 3=2
1 < 2 < 3=1
3 > 2 > 1=0
1 || 0 && 0=1
2 ^ 3 | 4=5
2.5 > 1.5=1
WARP_SZ * 2=40
0b101 + 017 + 0x1F=33
END
}

@test "ptx: a body's scopes, labels, tables, calls and operands are resolved" {
	"$ptx" print "$T/ptx/traps.ptx" | sed -n '/^\.visible .entry  traps (.*[0-9]$/,$p' | grep -v '^	.reg' >body
	diff - body <<'END'
.visible .entry  traps (.param .align 8 .u64 traps_param_0, .param .align 8 .b8 traps_param_1[48], .param .align 8 .u64 traps_param_2) .maxntid 256, 1, 1 .minnctapersm 2
{
	.local .align 8 .b8 $local_0[24];
	.shared .align 4 .u32 $local_1;
	.param .align 8 .b64 $local_2;
	.param .align 8 .b64 $local_3;
	.param .align 4 .b32 $local_4;
	.param .align 4 .b32 $local_5;
	.param .align 4 .b32 $local_6;
$T0: .branchtargets $L29, $L45, $L29;
$T1: .calltargets addone;
$P1: .callprototype (.param .align 4 .b32 _) _ (.param .align 4 .b32 _);
$L0:	.loc 1 13 0
	mov.u64 %v0, $local_0;
$L1:	.loc 3 7 0
	ld.param.u64 %v1, [traps_param_0];
$L2:	ld.param.u32 %v2, [traps_param_1+8];
$L3:	ld.global.u32 %v3, [%v4+-2];
$L4:	ld.global.v4.f32 {%v5, _, %v6, %v7}, [%v1+16];
$L5:	mov.u32 %v8, %tid.x;
$L6:	mov.u32 %v9, %ctaid.z;
$L7:	mov.u32 %v10, %lanemask_lt;
$L8:	mov.u64 %v11, %clock64;
$L9:	mov.u32 %v12, %envreg31;
$L10:	mov.u32 %v13, 32;
$L11:	mov.b64 %v14, {%v8, %v9};
$L12:	mov.b64 {%v8, _}, %v14;
$L13:	ld.global.v4.f32 {%v15, %v16, %v17, %v18}, [%v1];
$L14:	mov.f32 %v16, 0f3F800000;
$L15:	mov.u64 %v19, grid+8;
$L16:	ld.global.u32 %v8, [grid+8];
$L17:	shfl.sync.down.b32 %v20|%v21, %v8, 4, 31, -1;
$L18:	setp.lt.and.s32 %v22|%v23, %v8, 63, !%v21;
$L19:	vote.sync.ballot.b32 %v24, !%v21, 4294967295;
$L20:	@%v21 bra $L29;
$L21:	@!%v21 bra.uni $L45;
$L22:	atom.global.sys.add.u32 %v8, [%v1], 1;
$L23:	mad24.lo.s32 %v8, %v8, -14, %v9;
$L24:	vadd.s32.u32.s32 %v8, %v9.b0, %v2.h1;
$L25:	tex.2d.v4.f32.f32 {%v5, %v6, %v7, %v25}, [tex, {%v5, %v6}];
$L26:	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%v8], [%v1], %v2, [%v3];
$L27:	add.f32 %v5, %v5, 0fBF800000;
$L28:	fma.rn.f64 %v26, %v26, 0d3FF0000000000000, 0d4000000000000000;
$L29:	st.param.b64 [$local_2], %v1;
$L30:	st.param.b64 [$local_3], %v0;
$L31:	call.uni ($local_4), vprintf, ($local_2, $local_3);
$L32:	ld.param.b32 %v27, [$local_4];
$L33:	bra.uni $L34;
$L34:	st.param.b32 [$local_5], %v28;
$L35:	call ($local_6), %v29, ($local_5), $P1;
$L36:	bra $L36;
$L37:	brx.idx %v8, $T0;
$L38:	call (%v30), %v29, (%v8), $T1;
$L39:	call addone_void;
$L40:	st.volatile.shared.u32 [$local_1], 5;
$L41:	st.shared.u8 [dyn+3], %v31;
$L42:	mov.u32 %v32, later;
$L43:	ld.global.u32 %v33, [%v1];
$L44:	ld.local.u32 %v8, [4096];
$L45:	ret;
$L46:
}
.alias alias_of, target_of;
END
}

@test "ptx: registers are those in use, and a block's own hide those outside" {
	run -0 "$ptx" names "$T/ptx/traps.ptx"
	[ "${lines[4]}" = "traps: %rd1.b64 %rd2.b64 %r3.b32 %r4.b32 %rd24.b64 %f1.f32 %f2.f32 %f3.f32 %r1.b32 %r2.b32 %r5.b32 %rd3.b64 %r6.b32 %r7.b32 %rd4.b64 vec.x.f32 vec.y.f32 vec.z.f32 vec.w.f32 %rd5.b64 %r8.b32 %p1.pred %p2.pred %p3.pred %r9.b32 %f4.f32 %fd1.f64 %r10.b32 %r1.b32 %rd7.b64 %r11.b32 %rs1.b16 %r13.b32 %r14.b32 __local_depot0 counter param0 param1 retval0 param0 retval0" ]
}

@test "ptx: what older and rarer programs write is taken" {
	cat >old.ptx <<'END'
.version 1.4
.target sm_13, map_f64_to_f32
@@DWARF .section .debug_info
.tex .u32 image;
.const[2] .u32 banked;
.extern .global .u32 outside;
.global .u32 outside = 3;
.extern .global .u32 outside;
.global .samplerref s = {addr_mode_0 = wrap, filter_mode = linear};
.global .attribute(.managed) .u32 shared_with_host;
.pragma "a", "b";
.func (.reg .u32 r, .param .b64 p) f (.reg .v2 .f32 v) .noreturn .attribute(.unified(1,2));
.entry k .reqntid 8 .maxnctapersm 3 .maxnreg 40 {
	.reg .b32 %r<10>, %r1<3>, one;
	.reg .pred p<2>;
	ld.const[2].u32 %r12, [banked];
	mov.u32 %r9, -one;
	L: @!p1 bra L;;
	call (one), f, ();
	exit;
}
END
	sed -i '/ld.const.2/d' old.ptx
	run -0 "$ptx" roundtrip old.ptx
	run -0 "$ptx" names old.ptx
	[ "$output" = "k: %r9.b32 one.b32 p1.pred" ]
	run -0 "$ptx" inits old.ptx
	[ "${lines[2]}" = "outside global 4 4 0:3" ]
}

@test "ptx: every beginning of a text is a module or an error with its line" {
	run -0 "$ptx" lengths "$T/ptx/traps.ptx"
	run -0 "$ptx" lengths "$T/ptx/clang-35.ptx"
}

@test "ptx: an error names its line, what was expected and what was found" {
	says '.globl x' "line 4: expected a variable, a function or a directive, found '.globl'"
	says '.global .u31 x;' "line 4: expected a type, found '.u31'"
	says $'\n\n.global .u32 x' "line 7: expected ',' or ';' after the variable, found the end of the text"
	says '.global .u32 x[2] = {1,2,3};' 'line 4: more initial values than x has elements'
	says '.global .u32 x[2][2] = {1,2};' "line 4: expected '{' of the list, found '1'"
	says '.global .u32 x = nowhere;' 'line 4: name nowhere is not declared'
	says '.global .u32 x = 1/0;' 'line 4: division by zero in a constant expression'
	says '.global .u32 x = 1.5;' 'line 4: a .u32 cannot be initialised by a real number'
	says '.global .u32 x = 0x;' 'line 4: number 0x is no number'
	says '.global .u32 x = 089;' 'line 4: number 089 is no number'
	says '.global .u32 x = 99999999999999999999;' 'line 4: number 99999999999999999999 does not fit 64 bits'
	says '.global .f32 x = 0f123;' 'line 4: number 0f123 has not eight hexadecimal digits after 0f'
	says '.global .align 3 .u32 x;' 'line 4: alignment 3 is no power of two up to 1048576'
	says '.global .u8 x[1099511627776][1099511627776];' 'line 4: x is too large'
	says '.global .u32 x[-1];' 'line 4: array size -1 cannot be'
	says '.global .u32 x[][0] = {{1}};' 'line 4: array size 0 cannot be'
	says '.global .u8 x[][4294967296][4294967296] = {{{1}}};' 'line 4: array size 4294967296 cannot be'
	says '.global .pred p;' 'line 4: a predicate cannot be in memory'
	says '.pragma "abc' 'line 4: string without its end'
	says '.section .debug { .b8 1' "line 4: '{' without its '}'"
	says '.alias a, b;' 'line 4: function a is not declared'
	says '.address_size 48' 'line 4: address size 48 is neither 32 nor 64'
	says '.entry f .fast { ret; }' "line 4: expected '{', ';' or a directive, found '.fast'"
	says '.func f { ret; } .func f { ret; }' 'line 4: f has a body already'
	says '.func f { ret; } .entry f { ret; }' 'line 4: f is declared before as something else'
}

@test "ptx: an error in a body names the register, label or token" {
	says '.func f { ret; ' "line 5: expected '}' at the end of the function, found the end of the text"
	says $'.func f {\n\tadd.s32 %r1, %r2, 1; }' 'line 5: register %r1 is not declared'
	says '.func f { .reg .b32 %r<3>; add.s32 %r1, %r3, 1; }' 'line 4: register %r3 is not declared'
	says '.func f { .reg .b32 %r<3>; add.s32 %r1 %r2; }' "line 4: expected ',' or ';', found '%r2'"
	says '.func f { .reg .b32 %r<3>; add.s32 %r1, ; }' "line 4: expected an operand, found ';'"
	says '.func f { bra nowhere; }' 'line 4: label nowhere is not declared'
	says '.func f { { L: ret; } bra L; }' 'line 4: label L is not declared'
	says '.func f { L: bra L; L: ret; }' 'line 4: L is declared twice in one scope'
	says '.func f { .reg .b32 p; @p ret; }' 'line 4: p guards an instruction but is no predicate'
	says '.func f { @p ret; }' 'line 4: predicate p is not declared'
	says '.func f { .reg .b32 r; mov.u32 r, nothing; }' 'line 4: name nothing is not declared'
	says '.func f { call g; }' 'line 4: name g is not declared'
	says '.func f { t: .branchtargets f; }' 'line 4: f is no label'
	says '.func f { .reg .b64 a; ld.global.u32 a, [a; }' "line 4: expected ']' after the address, found ';'"
	says '.func f { .reg .b32 %r<5000000000>; }' 'line 4: more than 2^30 registers'
	says '.func f { /* ret; }' 'line 4: comment without its end'
	says ".func f { ret $(printf '(%.0s' {1..300}) 1; }" 'line 4: nested more than 256 deep'
	says ".func f $(printf '{%.0s' {1..300})" 'line 4: scopes nested more than 255 deep'
}

@test "ptx: text that is no PTX is refused at its first line" {
	for text in '' hello '.version seven' '.version 7.0' $'.version 7.0\n.target gpu'; do
		printf '%s' "$text" >bad.ptx
		run -3 "$ptx" print bad.ptx
		[[ $output == *'line '?': '* ]]
	done
	head -c 4096 "$ptx" >bad.ptx
	run -3 "$ptx" print bad.ptx
	[[ $output == *"expected .version at the start of PTX, found '?"* ]]
}
